import { CloudVoiceError, InputError } from "../../../errors";
import { firstOf } from "../../../rules/first-of";
import { QuestionError } from "../../../rules/question";
import { entryName } from "../../../rules/resource-types";
import { longestRequestMs } from "../../../rules/upload";
import type { VoiceOutputs } from "../../../rules/voice";
import {
  afterOutcomes,
  heldIn,
  type HeldVoice,
  type Outcome,
  type SetState,
  type SetVoices,
  voiceIds,
  voicesIn,
} from "../../../rules/voice-set";
import type { ListedVoice } from "../../../service/voices/client";
import { lookUntilFound } from "../../../service/voices/look";
import { VoiceIndex } from "../../../service/voices/voice-index";
import { SetLog } from "../../../voices/set-log";
import { expectedGone } from "../../../voices/judge/missing";
import { madeSince } from "../../../voices/set-orphans";
import type { Operation } from "../operation";
import { goneAtEnd } from "../voice/ask";
import { entryOf, inParallel, type SetResource } from "./entry";
import { type Interruption, Interruptions, type SoughtCreate } from "./interruption";
import type { VoiceLifecycle } from "./run";

export interface Recovered {
  /** The voices of the set that exist. */
  held: SetVoices;
  /** Undefined if no update was interrupted. */
  interruption: Interruption | undefined;
  /** The creates whose outcomes are not known. */
  open: readonly SoughtCreate[];
  /** How long an update looks for the voices of the open creates. */
  leftMs: number;
  /**
   * Some states can't be read, so no listed voice was recovered that another resource may hold. The next update tries
   * again.
   */
  isUnread: boolean;
}

interface Made {
  key: string;
  states: readonly VoiceOutputs[];
}

/**
 * The voices of a set after an update that did not end. A voice that the update created is now the voice of its entry,
 * and the entry's former voice is superseded, as if the update had ended normally at this point.
 */
export function recover(before: SetVoices, made: readonly Made[], deleted: ReadonlySet<string>): SetVoices {
  const superseded = new Set(before.superseded.map(({ state }) => state.voice));
  const outcomes = made.flatMap(({ key, states }): Outcome[] => {
    const held = before.voices.get(key);
    const own = states.filter(({ voice }) => voice === held?.voice);
    // If the update created several voices for an entry, the entry keeps the one that the state already has.
    const others = states.filter(({ voice }) => voice !== held?.voice && !superseded.has(voice));
    return [...others, ...own].map((has) => ({ key, has }));
  });
  return afterOutcomes(before, [...outcomes, ...[...deleted].map((left) => ({ left }))]);
}

/** Finds out which voices a killed update of a set has created and deleted. */
export class Recovery {
  readonly setLog: SetLog;
  private readonly interruptions: Interruptions;
  private readonly startedMs: number;

  constructor(
    private readonly operation: Operation,
    private readonly voice: VoiceLifecycle,
  ) {
    this.setLog = new SetLog({ ...operation, clock: operation.service.clock });
    this.interruptions = new Interruptions(operation, this.setLog);
    this.startedMs = operation.service.clock.now();
  }

  readonly readPending = () => this.interruptions.readPending();
  readonly pendingCreates = (resource: SetResource) => this.interruptions.pendingCreates(resource);

  /** What is known without waiting about the set's voices. Asks no question and writes nothing. */
  async known(resource: SetResource, state: SetState | undefined): Promise<Recovered> {
    const before = voicesIn(state ?? {});
    const interruption = await this.interruptions.of(resource, state, before);
    if (interruption === undefined) return nothingLeft(before);
    try {
      return await this.listed(interruption, before);
    } catch (error) {
      // The list can't be read, so no create is known to have made a voice.
      const isOfList = CloudVoiceError.is(error) && !(error instanceof QuestionError || error instanceof InputError);
      if (!isOfList) throw error;
      const { creates: open } = interruption;
      return { ...nothingLeft(before), interruption, open, leftMs: this.leftMs(open) };
    }
  }

  /**
   * Waits until it is known which voices exist, or asks a person. A destroy does not wait for the deletes of the
   * interrupted update, because the destroy sends these deletes again.
   */
  async settled(resource: SetResource, state: SetState | undefined, isDestroy = false): Promise<Recovered> {
    const before = voicesIn(state ?? {});
    const interruption = await this.interruptions.of(resource, state, before);
    if (interruption === undefined) return nothingLeft(before);
    const { service, facts, earlier } = this.operation;
    const known = await this.listed(interruption, before);
    const deletes = isDestroy
      ? []
      : heldIn(known.held).filter(({ state: { voice } }) => interruption.deletes.includes(voice));
    this.announce(resource, known, deletes);
    const creates = await this.lookFor(
      known.interruption?.creates ?? [],
      known.open,
      this.madeAmong(interruption, before),
    );
    // A listed voice may belong to a resource in an unread state: it counts neither as created nor as absent.
    const isUnread = interruption.creates.length > 0 && (await facts.holders("everywhere")).unread.length > 0;
    // These creates certainly made no voice, so creates of this update with the same inputs need not look for one.
    for (const { inputs, found, doubt, isUnclear, wasAnswered } of creates)
      if (found.length === 0 && doubt === undefined && !isUnclear && !wasAnswered && !isUnread) earlier.settle(inputs);
    const deleted = await this.deletedBy(interruption, deletes, resource);
    // No create may reuse a deleted voice from the list.
    for (const voice of deleted) service.account.remove(voice);
    const ended = { ...interruption, creates };
    const open = creates.filter(({ doubt }) => doubt !== undefined);
    return { held: recover(before, this.madeBy(ended), deleted), interruption: ended, open, leftMs: 0, isUnread };
  }

  private async listed(interruption: Interruption, before: SetVoices): Promise<Recovered> {
    const madeAmong = this.madeAmong(interruption, before);
    const creates = await inParallel(interruption.creates, async (create): Promise<SoughtCreate> => {
      const { preferredName, targetModel } = create.inputs;
      return {
        ...create,
        found: await madeAmong(await this.operation.service.account.named(preferredName, targetModel)),
      };
    });
    const seen = { ...interruption, creates };
    await this.expectGone(seen, before);
    const held = recover(before, this.madeBy(seen), await this.notedDeletes(interruption));
    // A create whose note names a voice from before has taken that voice.
    const existed = new Set([...voiceIds(before), ...interruption.existing]);
    const open = creates.filter(({ found, sentMs, voice = "" }) => {
      return found.length === 0 && sentMs !== undefined && !existed.has(voice);
    });
    return { held, interruption: seen, open, leftMs: this.leftMs(open), isUnread: false };
  }

  /** Records which voices may be missing, so that nobody is asked about them. */
  private async expectGone({ creates, deletes }: Interruption, before: SetVoices): Promise<void> {
    const { service, missing } = this.operation;
    const listed = await service.account.voices();
    const made = creates.flatMap(({ found }) => found.map(({ voice }) => voice));
    expectedGone(deletes, [...made, ...voiceIds(before)], listed).forEach(missing.expectGone);
  }

  private madeBy({ creates }: Interruption): Made[] {
    const facts = { degraded: false, adopted: false, account: this.operation.service.voiceFingerprint() };
    return creates.map(({ key, inputs, found }) => ({
      key,
      states: found.map(
        ({ voice, gmtCreate }) => ({ ...inputs, ...facts, voice, createdAt: gmtCreate }) as VoiceOutputs,
      ),
    }));
  }

  private leftMs(open: readonly SoughtCreate[]): number {
    const { settings, service } = this.operation;
    const endsMs = ({ sentMs = 0, bytesUnderWay }: SoughtCreate) =>
      sentMs + longestRequestMs(settings.requestTimeoutMs, bytesUnderWay);
    return Math.max(0, Math.max(0, ...open.map(endsMs)) + settings.settleMs - service.clock.now());
  }

  /** How long the list may still show a deleted voice. */
  private settleLeftMs(): number {
    const { settings, service } = this.operation;
    return Math.max(0, this.startedMs + settings.settleMs - service.clock.now());
  }

  private announce({ name }: SetResource, { open, leftMs }: Recovered, deletes: readonly HeldVoice[]): void {
    const longestMs = Math.max(leftMs, deletes.length > 0 ? this.settleLeftMs() : 0);
    if (longestMs <= 0) return;
    const namesOf = (voices: readonly { key: string }[]) => firstOf(voices.map(({ key }) => entryName(name, key)));
    const what = [
      ...(open.length > 0 ? [`created ${namesOf(open)}`] : []),
      ...(deletes.length > 0 ? [`deleted ${namesOf(deletes)}`] : []),
    ];
    this.operation.log.once(
      "interrupted set",
      `an update of ${name} was killed while it ${what.join(" and ")}. The list is searched for these voices ` +
        `for up to ${Math.ceil(longestMs / 1000)} s (settleSeconds, requestTimeoutSeconds)`,
    );
  }

  /**
   * Looks for the voices of all open creates together, until such voices can no longer appear: a single list without a
   * voice does not prove that the voice does not exist.
   */
  private async lookFor(
    creates: readonly SoughtCreate[],
    open: readonly SoughtCreate[],
    madeAmong: (rows: readonly ListedVoice[]) => Promise<ListedVoice[]>,
  ): Promise<readonly SoughtCreate[]> {
    if (open.length === 0) return creates;
    const { clock, account } = this.operation.service;
    const found = new Map<SoughtCreate, readonly ListedVoice[]>();
    await lookUntilFound({ clock, forMs: this.leftMs(open) }, async () => {
      const rows = new VoiceIndex(await account.allNow());
      for (const create of open) {
        const made = found.has(create) ? [] : await madeAmong(rowsOf(create, rows));
        if (made.length > 0) found.set(create, made);
      }
      return found.size === open.length || undefined;
    });
    const certain = found.size < open.length ? await account.certainNow() : undefined;
    return inParallel(creates, async (create) => {
      if (!open.includes(create)) return create;
      const last = certain?.({ ...create.inputs, generated: true });
      const made = found.get(create) ?? (await madeAmong(last?.found ?? []));
      return { ...create, found: made, doubt: made.length > 0 ? undefined : last?.doubt };
    });
  }

  /** Waits until the list no longer shows a voice that the interrupted update has deleted. */
  private async deletedBy(
    interruption: Interruption,
    deletes: readonly HeldVoice[],
    resource: SetResource,
  ): Promise<Set<string>> {
    const { operation, voice: lifecycle } = this;
    const deleted = await this.notedDeletes(interruption);
    const listed = await inParallel(deletes, async ({ key, state }) => {
      if ((await lifecycle.read(state.voice, state, entryOf(resource, key))) !== undefined) return [state];
      deleted.add(state.voice);
      return [];
    });
    if (listed.flat().length === 0) return deleted;
    await operation.service.clock.sleep(this.settleLeftMs());
    for (const { voice } of await goneAtEnd(operation, listed.flat(), resource)) deleted.add(voice);
    return deleted;
  }

  /** The voices that the journal notes as deleted. The list may still show them for a while. */
  private async notedDeletes({ deletes }: Interruption): Promise<Set<string>> {
    const { journal } = this.operation;
    const deleted = await inParallel(deletes, async (voice) => ((await journal.wasDeleted(voice)) ? [voice] : []));
    return new Set(deleted.flat());
  }

  /**
   * Returns a function that chooses the listed voices that the interrupted update may have created. It leaves out
   * voices that existed before, voices that were deleted and are still listed, and voices that another resource holds
   * (a copy of the stack finds the same log).
   */
  private madeAmong({ existing }: Interruption, before: SetVoices) {
    const { facts, log, states, journal } = this.operation;
    const own = voiceIds(before);
    return async (rows: readonly ListedVoice[]): Promise<ListedVoice[]> => {
      const made = await madeSince(rows, existing, journal);
      const others = made.filter(({ voice }) => !own.has(voice)).map(({ voice }) => voice);
      if (others.length === 0) return made;
      const { holders, unread } = await facts.holders("everywhere");
      if (unread.length > 0) log.warnOnce("orphans", `${others.join(", ")}: not deleted, because states can't be read`);
      const isFree = (voice: string) => unread.length === 0 && states.holding(voice, holders).length === 0;
      return made.filter(({ voice }) => own.has(voice) || isFree(voice));
    };
  }
}

function nothingLeft(held: SetVoices): Recovered {
  return { held, interruption: undefined, open: [], leftMs: 0, isUnread: false };
}

function rowsOf({ voice, inputs }: SoughtCreate, rows: VoiceIndex): ListedVoice[] {
  const noted = voice === undefined ? undefined : rows.get(voice);
  const named = rows.named(inputs.preferredName, inputs.targetModel);
  return noted === undefined || named.includes(noted) ? named : [...named, noted];
}
