import { CloudVoiceError } from "../../../errors";
import { firstOf } from "../../../rules/first-of";
import { entryName } from "../../../rules/resource-types";
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
  /** How long an update looks for the voices of these. */
  leftMs: number;
  /** States can't be read, so voices that other resources may hold are not taken, and stay for the next update. */
  isUnread: boolean;
}

interface Made {
  key: string;
  states: readonly VoiceOutputs[];
}

/**
 * The voices of a set after an update that did not end. A voice that it made belongs to its entry, and the entry's former
 * one is superseded, as if the update had ended there.
 */
export function recover(before: SetVoices, made: readonly Made[], deleted: ReadonlySet<string>): SetVoices {
  const superseded = new Set(before.superseded.map(({ state }) => state.voice));
  const outcomes = made.flatMap(({ key, states }): Outcome[] => {
    const held = before.voices.get(key);
    const own = states.filter(({ voice }) => voice === held?.voice);
    // The entry keeps a voice that the state has, if the update made two.
    const others = states.filter(({ voice }) => voice !== held?.voice && !superseded.has(voice));
    return [...others, ...own].map((has) => ({ key, has }));
  });
  return afterOutcomes(before, [...outcomes, ...[...deleted].map((left) => ({ left }))]);
}

/** Gathers what an update of a set that did not end has made and deleted. */
export class Recovery {
  readonly log: SetLog;
  private readonly interruptions: Interruptions;
  private readonly startedMs: number;

  constructor(
    private readonly operation: Operation,
    private readonly voice: VoiceLifecycle,
  ) {
    this.log = new SetLog({ ...operation, clock: operation.service.clock });
    this.interruptions = new Interruptions(operation, this.log);
    this.startedMs = operation.service.clock.now();
  }

  readonly readPending = () => this.interruptions.readPending();

  /** What is known now. Neither waits nor asks nor writes. */
  async known(resource: SetResource, state: SetState | undefined): Promise<Recovered> {
    const before = voicesIn(state ?? {});
    const interruption = await this.interruptions.of(resource, state, before);
    if (interruption === undefined) return nothingLeft(before);
    try {
      return await this.listed(interruption, before);
    } catch (error) {
      // Without a list, the names are all that is known.
      if (!CloudVoiceError.is(error)) throw error;
      const { creates: open } = interruption;
      return { ...nothingLeft(before), interruption, open, leftMs: this.leftMs(open) };
    }
  }

  /**
   * Waits until everything is known, or asks a person. A destroy does not wait for deletes: it sends them again. Its own
   * pending operation is in the state already, and names no create.
   */
  async settled(resource: SetResource, state: SetState | undefined, isDestroy = false): Promise<Recovered> {
    const before = voicesIn(state ?? {});
    const interruption = await this.interruptions.of(resource, state, before);
    if (interruption === undefined) return nothingLeft(before);
    const { service, facts } = this.operation;
    const known = await this.listed(interruption, before);
    // Then a listed voice counts neither as made nor as absent.
<<<<<<< HEAD
    const isUnread = interruption.creates.length > 0 && (await facts.holders("everywhere")) === undefined;
    const deletes = isDestroy
      ? []
      : heldIn(known.held).filter(({ state: { voice } }) => interruption.deletes.includes(voice));
    this.announce(resource, known, deletes);
    const deleted = await this.notedDeletes(interruption);
    const listed = await this.listedOf(deletes, resource);
    for (const {
      state: { voice },
    } of deletes)
      if (!listed.some((each) => each.voice === voice)) deleted.add(voice);
    const creates = await this.lookFor(
      known.interruption?.creates ?? [],
      known.open,
      this.madeAmong(interruption, before),
    );
    // These creates made no voice, so the create of the entry is the first.
    for (const { inputs, found, doubt, isUnclear, wasAnswered } of creates)
      if (found.length === 0 && doubt === undefined && !isUnclear && !wasAnswered && !isUnread)
        facts.unfinished.settle(inputs);
    if (listed.length > 0) {
      await service.clock.sleep(this.settleLeftMs());
      for (const { voice } of await goneAtEnd(this.operation, listed, resource)) deleted.add(voice);
=======
    const isUnread = begun.creates.length > 0 && (await facts.holders("everywhere")).unread.length > 0;
    // The journal has no note of them, so they were not sent.
    for (const { sentMs, made, isUnclear, inputs } of known.interruption?.creates ?? [])
      if (sentMs === undefined && made.length === 0 && !isUnclear && !isUnread) facts.unfinished.settle(inputs);
    // The list may show a deleted voice for this time.
    const settleLeftMs = () => Math.max(0, this.startedMs + settings.settleMs - service.clock.now());
    const deletes = new Set(begun.deletes);
    const deleted = isDestroy ? [] : heldIn(known.held).filter((each) => deletes.has(each.state.voice));
    this.announce(resource, known, deleted, Math.max(known.leftMs, deleted.length > 0 ? settleLeftMs() : 0));
    const gone = await this.noted(begun.deletes);
    const there: VoiceOutputs[] = [];
    await inParallel(deleted, async ({ key, state }) => {
      const isThere = (await this.voice.read(state.voice, state, entryOf(resource, key))) !== undefined;
      if (isThere) there.push(state);
      else gone.add(state.voice);
    });
    const creates = await this.lookFor(known, before, isUnread);
    if (there.length > 0) {
      await service.clock.sleep(settleLeftMs());
      for (const { voice } of await goneAtEnd(this.operation, there, resource)) gone.add(voice);
>>>>>>> decided
    }
    // No create may reuse it from the list.
    for (const voice of deleted) service.account.remove(voice);
    const ended = { ...interruption, creates };
    const open = creates.filter(({ doubt }) => doubt !== undefined);
    return { held: recover(before, this.madeBy(ended), deleted), interruption: ended, open, leftMs: 0, isUnread };
  }

  /** What the list and the journal show of it. */
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
    const held = recover(before, this.madeBy(seen), await this.notedDeletes(interruption));
    const open = creates.filter(({ found, sentMs }) => found.length === 0 && sentMs !== undefined);
    return { held, interruption: seen, open, leftMs: this.leftMs(open), isUnread: false };
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
    const lastMs = Math.max(0, ...open.map(({ sentMs = 0 }) => sentMs));
    return Math.max(0, lastMs + settings.requestTimeoutMs + settings.settleMs - service.clock.now());
  }

  /** The list may show a deleted voice for this time. */
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

  /** Looks for all voices at once until they can no longer appear. One list that lacks them proves nothing. */
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

  /** Those of the voices to delete that the account still lists. */
  private async listedOf(deletes: readonly HeldVoice[], resource: SetResource): Promise<VoiceOutputs[]> {
    const listed = await inParallel(deletes, async ({ key, state }) => {
      return (await this.voice.read(state.voice, state, entryOf(resource, key))) === undefined ? [] : [state];
    });
    return listed.flat();
  }

  /** The voices that the journal notes as deleted. The list may show them for a while. */
  private async notedDeletes({ deletes }: Interruption): Promise<Set<string>> {
    const { journal } = this.operation;
    const deleted = await inParallel(deletes, async (voice) => ((await journal.wasDeleted(voice)) ? [voice] : []));
    return new Set(deleted.flat());
  }

  /**
   * Chooses among listed voices those that the update may have made: without voices that were there before, that a run
   * deleted and the list still shows, or that another resource holds: a copy of the stack finds the log too.
   */
  private madeAmong({ existing }: Interruption, before: SetVoices) {
    const { facts, log, states, journal } = this.operation;
<<<<<<< HEAD
    const own = voiceIds(before);
    const earlier = new Set(existing);
    return async (rows: readonly ListedVoice[]): Promise<ListedVoice[]> => {
      const deleted = await Promise.all(rows.map(({ voice }) => journal.wasDeleted(voice)));
      const made = rows.filter(({ voice }, index) => !earlier.has(voice) && deleted[index] === false);
      const others = made.filter(({ voice }) => !own.has(voice)).map(({ voice }) => voice);
      if (others.length === 0) return made;
      const holders = await facts.holders("everywhere");
      if (holders === undefined)
        log.warnOnce("orphans", `${others.join(", ")}: not deleted, because states can't be read`);
      const isFree = (voice: string) => holders !== undefined && states.holding(voice, holders).length === 0;
      return made.filter(({ voice }) => own.has(voice) || isFree(voice));
    };
=======
    const deleted = await Promise.all(rows.map(({ voice }) => journal.wasDeleted(voice)));
    const made = rows.filter(({ voice }, index) => !existing.includes(voice) && deleted[index] === false);
    if (made.length === 0) return made;
    const { holders, unread } = await facts.holders("everywhere");
    const others = made.filter(({ voice }) => !own.has(voice));
    if (unread.length > 0 && others.length > 0)
      log.warnOnce(
        "orphans",
        `${others.map(({ voice }) => voice).join(", ")}: not deleted, because states can't be read`,
      );
    return made.filter(
      ({ voice }) => own.has(voice) || (unread.length === 0 && states.holding(voice, holders).length === 0),
    );
  }

  private async interruptionOf(
    resource: SetResource,
    state: SetState | undefined,
    before: SetVoices,
  ): Promise<Interruption | undefined> {
    const logged = await this.logged(resource, state);
    if (logged !== undefined && logged !== "damaged") {
      const creates = await inParallel(logged.creates, (create) => this.withNote(create));
      return { ...logged, creates, existing: [...logged.existing, ...before.kept] };
    }
    const creates = await this.pending(resource);
    if (creates === undefined && logged === undefined) return undefined;
    return { creates: creates ?? [], deletes: [...voiceIds(before)], existing: before.kept, name: resource.name };
  }

  private async withNote(create: LoggedCreate): Promise<Sought> {
    const note = create.note === undefined ? undefined : await this.operation.journal.find(create.note);
    if (note === undefined) return { ...create, made: [] };
    if (note.unproven || note.isShared) return { ...create, made: [], isUnclear: true };
    const voice = create.voice ?? note.id;
    return { ...create, voice, sentMs: note.sentAtMs, wasAnswered: note.answered, made: [] };
  }

  /** The log of the update that did not end, if there is one. */
  private async logged(
    resource: SetResource,
    state: SetState | undefined,
  ): Promise<SetLogEntry | "damaged" | undefined> {
    const { states } = this.operation;
    const own = await states.own().catch(() => undefined);
    if (own === undefined || (await states.backend()) === undefined) return undefined;
    const instance = state?.instance ?? (await this.log.instanceOf(resource.identity.savedUrn));
    const isSaved = instance !== undefined && own.instances?.has(instance) === true;
    // It is the log of a set that `--replace` replaces.
    if (instance === undefined || (state === undefined && isSaved)) return undefined;
    const found = await this.log.find(instance);
    if (found === undefined || found === "damaged") return found;
    if (state !== undefined) {
      if (found.update <= state.updates) return undefined;
      return found.stack === own.stack || !(await this.isCopied(found)) ? found : undefined;
    }
    if (found.open === undefined) return found;
    // The engine has saved the end, or it has a pending operation. Voices may have left the set since, and stay.
    const isPending = (await this.begin()).some(({ urn }) => urn === resource.identity.savedUrn);
    if (isPending) return found;
    const { open } = found;
    const creates = found.creates.filter(({ inputs }) => open.includes(inputs.preferredName));
    return creates.length > 0 ? { ...found, creates } : undefined;
  }

  /** Whether the stack that wrote the log still has the set: this one has a copy of its state. */
  private async isCopied({ stack, instance }: SetLogEntry): Promise<boolean> {
    const all = await this.operation.states.everywhere().catch(() => undefined);
    if (all === undefined) return true;
    return all.some((each) => each.stack === stack && each.instances?.has(instance) === true);
  }

  /**
   * What the engine's pending operations show. A pending create is left out: it may be older than voices that have left
   * the set since, so it is no evidence for a delete. So is a name that the operation's own entry would not get: somebody
   * wrote it into the state.
   */
  private async pending({ identity, name }: SetResource): Promise<Sought[] | undefined> {
    const { log, facts, states } = this.operation;
    const ofSet = (await this.begin()).filter(({ urn, isCreate }) => urn === identity.savedUrn && !isCreate);
    if (ofSet.length === 0) return undefined;
    if (ofSet.some(({ hidesNames }) => hidesNames))
      log.warn(
        "a pending update has secret entries that can't be read, so it is not known which voices it was about to create. " +
          "`npx --no-install pulumi-cloudvoice voices` lists the account",
      );
    const isOurs = await states.isOwnKnown();
    const creates = await Promise.all(
      ofSet
        .flatMap(({ intended }) => intended)
        .map(async (intended) => {
          const { urn, inputs, preferredName, targetModel } = intended;
          if (!(await facts.isNameIn({ urn, inputs }, preferredName))) {
            log.warn(
              `a pending operation names the voice ${preferredName} for ${nameInUrn(urn)}, which would get another ` +
                "name. Nothing is concluded from it, and no voice of that name is deleted",
            );
            return [];
          }
          return isOurs ? this.pendingCreate({ ...intended, preferredName, targetModel }, name) : [];
        }),
    );
    return creates.flat();
  }

  private async pendingCreate(
    { urn, inputs, preferredName, targetModel }: PendingUpdate["intended"][number],
    name: string,
  ): Promise<Sought[]> {
    const named = { ...inputs, preferredName, targetModel };
    const unfinished = await this.operation.facts.unfinished.find({ ...named, nameVersion }, stackOfUrn(urn));
    if (unfinished?.isOurs !== true) return [];
    const { sinceMs: sentMs, voice, wasAnswered } = unfinished;
    const [, key = ""] = pathParts(`set${nameInUrn(urn).slice(name.length)}`);
    return [{ key, inputs: named, sentMs, voice, wasAnswered, made: [] }];
>>>>>>> decided
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
