import { CloudVoiceError } from "../../../errors";
import { once } from "../../../once";
import { firstOf } from "../../../rules/first-of";
import { nameVersion } from "../../../rules/naming";
import { entryName, nameInUrn } from "../../../rules/resource-types";
import type { VoiceOutputs } from "../../../rules/voice";
import {
  afterOutcomes,
  heldIn,
  type HeldVoice,
  type Outcome,
  pathParts,
  type SetState,
  type SetVoices,
  voiceIds,
  voicesIn,
} from "../../../rules/voice-set";
import type { ListedVoice } from "../../../service/voices/client";
import { lookUntilFound } from "../../../service/voices/look";
import { VoiceIndex } from "../../../service/voices/voice-index";
import { stackOfUrn } from "../../../stacks/names";
import type { PendingUpdate } from "../../../stacks/state";
import { leftIn } from "../../../voices/earlier-runs";
import { type LoggedCreate, type LoggedWork, SetLog, type SetLogEntry } from "../../../voices/set-log";
import type { Operation } from "../operation";
import { goneAtEnd } from "../voice/ask";
import { entryOf, inParallel, type SetResource } from "./entry";
import type { VoiceLifecycle } from "./run";

/** A create of an update that did not end. */
export interface Sought extends LoggedCreate {
  /** When it was sent. Absent if it was not: then its voice does not exist, unless it is listed. */
  sentMs?: number | undefined;
  /** The journal's note about it proves nothing, so the create of the entry asks a person. */
  isUnclear?: boolean;
  /** The service answered it with success. */
  wasAnswered?: boolean | undefined;
  /** The voices that it made, as far as the list shows them. */
  made: readonly ListedVoice[];
  /** After the wait: why its voice may exist although no list shows it. */
  doubt?: string | undefined;
}

/** What an update that did not end was about to do, and what is known of it. */
export interface Interruption extends LoggedWork {
  creates: readonly Sought[];
  /** The name of the set then. */
  name: string;
  instance?: string | undefined;
}

export interface Recovered {
  /** The voices of the set that exist. */
  held: SetVoices;
  /** Undefined if no update was interrupted. */
  interruption: Interruption | undefined;
  /** The creates whose outcomes are not known. */
  unknown: readonly Sought[];
  /** How long an update looks for these. */
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
 * one is superseded, as if the update had ended there. `gone`: those that it deleted.
 */
export function afterInterruption(before: SetVoices, made: readonly Made[], gone: ReadonlySet<string>): SetVoices {
  const superseded = new Set(before.superseded.map(({ state }) => state.voice));
  const outcomes = made.flatMap(({ key, states }): Outcome[] => {
    const held = before.voices.get(key);
    const own = states.filter(({ voice }) => voice === held?.voice);
    // The entry keeps a voice that the state has, if the update made two.
    const others = states.filter(({ voice }) => voice !== held?.voice && !superseded.has(voice));
    return [...others, ...own].map((has) => ({ key, has }));
  });
  return afterOutcomes(before, [...outcomes, ...[...gone].map((voice) => ({ gone: voice }))]);
}

/** Finds out what an update of a set that did not end has made and deleted. It alone reads the log of the set. */
export class Recovery {
  readonly log: SetLog;
  private readonly startedMs: number;

  constructor(
    private readonly operation: Operation,
    private readonly voice: VoiceLifecycle,
  ) {
    this.log = new SetLog({ ...operation, clock: operation.service.clock });
    this.startedMs = operation.service.clock.now();
  }

  /**
   * Call this before the operation begins an update: its own pending operation would look like that of a killed update.
   */
  readonly begin = once(() => this.operation.states.interruptedUpdates());

  /** What is known now. Neither waits nor asks nor writes. */
  async look(resource: SetResource, state: SetState | undefined): Promise<Recovered> {
    const before = voicesIn(state ?? {});
    const begun = await this.interruptionOf(resource, state, before);
    if (begun === undefined) return nothingLeft(before);
    try {
      return await this.seen(begun, before, resource);
    } catch (error) {
      // Without a list, the names are all that is known.
      if (!CloudVoiceError.is(error)) throw error;
      const { creates } = begun;
      return { ...nothingLeft(before), interruption: begun, unknown: creates, leftMs: this.leftMs(creates) };
    }
  }

  /**
   * Waits until everything is known, or asks a person. A destroy does not wait for deletes: it sends them again. Its own
   * pending operation is in the state already, and names no create.
   */
  async settle(resource: SetResource, state: SetState | undefined, isDestroy = false): Promise<Recovered> {
    const before = voicesIn(state ?? {});
    const begun = await this.interruptionOf(resource, state, before);
    if (begun === undefined) return nothingLeft(before);
    const { settings, service, facts, earlier } = this.operation;
    const known = await this.seen(begun, before, resource);
    // Then a listed voice counts neither as made nor as absent.
    const isUnread = begun.creates.length > 0 && (await facts.holders("everywhere")).unread.length > 0;
    // The journal has no note of them, so they were not sent.
    for (const { sentMs, made, isUnclear, inputs } of known.interruption?.creates ?? [])
      if (sentMs === undefined && made.length === 0 && !isUnclear && !isUnread) earlier.settle(inputs);
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
    }
    // No create may reuse it from the list.
    for (const voice of gone) service.account.remove(voice);
    const interruption = { ...begun, creates };
    const held = afterInterruption(before, this.madeBy(interruption, resource), gone);
    const unknown = creates.filter(({ doubt }) => doubt !== undefined);
    return { held, interruption, unknown, leftMs: 0, isUnread };
  }

  /** What the list and the journal show of it. */
  private async seen(begun: Interruption, before: SetVoices, resource: SetResource): Promise<Recovered> {
    const own = voiceIds(before);
    const creates = await inParallel(begun.creates, async (create): Promise<Sought> => {
      const { preferredName, targetModel } = create.inputs;
      const rows = await this.operation.service.account.named(preferredName, targetModel);
      return { ...create, made: await this.madeSince(rows, begun.existing, own) };
    });
    const interruption = { ...begun, creates };
    const gone = await this.noted(begun.deletes);
    const held = afterInterruption(before, this.madeBy(interruption, resource), gone);
    const unknown = creates.filter(({ made, sentMs }) => made.length === 0 && sentMs !== undefined);
    return { held, interruption, unknown, leftMs: this.leftMs(unknown), isUnread: false };
  }

  private madeBy({ creates, name }: Interruption, resource: SetResource): Made[] {
    const { service } = this.operation;
    return creates.map(({ key, inputs, made }) => {
      const namedAs = name === resource.name ? {} : { namedAs: entryName(name, key) };
      const facts = { degraded: false, adopted: false, account: service.voiceFingerprint(), ...namedAs };
      return {
        key,
        states: made.map(
          ({ voice, gmtCreate: createdAt }) => ({ ...inputs, ...facts, voice, createdAt }) as VoiceOutputs,
        ),
      };
    });
  }

  private leftMs(unknown: readonly Sought[]): number {
    const { settings, service } = this.operation;
    const lastMs = Math.max(0, ...unknown.map(({ sentMs = 0 }) => sentMs));
    return Math.max(0, lastMs + settings.requestTimeoutMs + settings.settleMs - service.clock.now());
  }

  private announce({ name }: SetResource, { unknown }: Recovered, deletes: readonly HeldVoice[], leftMs: number): void {
    if (leftMs <= 0) return;
    const created = unknown.map(({ key }) => entryName(name, key));
    const what = [
      ...(created.length > 0 ? [`created ${firstOf(created)}`] : []),
      ...(deletes.length > 0 ? [`deleted ${firstOf(deletes.map(({ key }) => entryName(name, key)))}`] : []),
    ];
    this.operation.log.once(
      "interrupted set",
      `an update of ${name} was killed while it ${what.join(" and ")}. The list is searched for these voices ` +
        `for up to ${Math.ceil(leftMs / 1000)} s (settleSeconds, requestTimeoutSeconds)`,
    );
  }

  /** Looks for all voices at once until they can no longer appear. One list that lacks them proves nothing. */
  private async lookFor(
    { interruption, unknown }: Recovered,
    before: SetVoices,
    isUnread: boolean,
  ): Promise<readonly Sought[]> {
    const { service, earlier } = this.operation;
    const { creates = [], existing = [] } = interruption ?? {};
    if (unknown.length === 0) return creates;
    const own = voiceIds(before);
    const found = new Map<Sought, readonly ListedVoice[]>();
    await lookUntilFound({ clock: service.clock, forMs: this.leftMs(unknown) }, async () => {
      const rows = new VoiceIndex(await service.account.allNow());
      for (const create of unknown) {
        const made = found.has(create) ? [] : await this.madeSince(rowsOf(create, rows), existing, own);
        if (made.length > 0) found.set(create, made);
      }
      return found.size === unknown.length || undefined;
    });
    const certain = found.size < unknown.length ? await service.account.certainNow() : undefined;
    const lookLast = async (create: Sought): Promise<Sought> => {
      const last = certain?.({ ...create.inputs, generated: true });
      const made = found.get(create) ?? (await this.madeSince(last?.found ?? [], existing, own));
      if (made.length > 0) return { ...create, made };
      // Otherwise the create of the entry asks a person.
      if (last?.doubt === undefined && create.wasAnswered !== true && !isUnread) earlier.settle(create.inputs);
      return { ...create, doubt: last?.doubt };
    };
    return inParallel(creates, async (create) => (unknown.includes(create) ? lookLast(create) : create));
  }

  /** Those of the voices that the journal notes as deleted. The list may show them for a while. */
  private async noted(voices: readonly string[]): Promise<Set<string>> {
    const { journal } = this.operation;
    const deleted = await inParallel(voices, async (voice) => ((await journal.wasDeleted(voice)) ? [voice] : []));
    return new Set(deleted.flat());
  }

  /**
   * The rows without voices that were there before, that a run deleted and the list still shows, or that another resource
   * holds: a copy of the stack finds the log too.
   */
  private async madeSince(
    rows: readonly ListedVoice[],
    existing: readonly string[],
    own: ReadonlySet<string>,
  ): Promise<ListedVoice[]> {
    const { facts, log, states, journal } = this.operation;
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
    const { isOurs, id, sentMs, end } = leftIn(note);
    if (!isOurs) return { ...create, made: [], isUnclear: true };
    return { ...create, voice: create.voice ?? id, sentMs, wasAnswered: end === "answered", made: [] };
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
    const left = await this.operation.earlier.create({ ...named, nameVersion }, stackOfUrn(urn));
    if (left?.isOurs !== true) return [];
    const { sentMs, id: voice, end } = left;
    const [, key = ""] = pathParts(`set${nameInUrn(urn).slice(name.length)}`);
    return [{ key, inputs: named, sentMs, voice, wasAnswered: end === "answered", made: [] }];
  }
}

function nothingLeft(held: SetVoices): Recovered {
  return { held, interruption: undefined, unknown: [], leftMs: 0, isUnread: false };
}

function rowsOf({ voice, inputs }: Sought, rows: VoiceIndex): ListedVoice[] {
  const noted = voice === undefined ? undefined : rows.get(voice);
  const named = rows.named(inputs.preferredName, inputs.targetModel);
  return noted === undefined || named.includes(noted) ? named : [...named, noted];
}
