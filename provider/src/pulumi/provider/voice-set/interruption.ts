import { once } from "../../../once";
import { nameVersion } from "../../../rules/naming";
import { nameInUrn } from "../../../rules/resource-types";
import { pathParts, type SetState, type SetVoices, voiceIds } from "../../../rules/voice-set";
import type { ListedVoice } from "../../../service/voices/client";
import { stackOfUrn } from "../../../stacks/names";
import type { PendingUpdate, StackState } from "../../../stacks/state";
import { leftIn } from "../../../voices/earlier-runs";
import type { LoggedCreate, LoggedWork, SetLog, SetLogEntry } from "../../../voices/set-log";
import type { Operation } from "../operation";
import { inParallel, type SetResource } from "./entry";

/** A create of an update that did not end. */
export interface SoughtCreate extends LoggedCreate {
  /** When the create was sent. Absent if no note shows this: then only the list can show its voice. */
  sentMs?: number | undefined;
  bytesUnderWay?: number | undefined;
  /** The journal's note about the create may belong to another stack, so the entry's next create asks a person. */
  isUnclear?: boolean;
  wasAnswered?: boolean | undefined;
  /** The listed voices that the create made. */
  found: readonly ListedVoice[];
  /** After the wait: why the create's voice may exist although no list shows it. */
  doubt?: string | undefined;
}

/** What an update that did not end was about to do. */
export interface Interruption extends LoggedWork {
  creates: readonly SoughtCreate[];
  /** The set's name in that update. */
  name: string;
  instance?: string | undefined;
}

/** Finds the interrupted update of a set. In the provider, only this class reads the log of a set. */
export class Interruptions {
  constructor(
    private readonly operation: Operation,
    private readonly setLog: SetLog,
  ) {}

  /**
   * The engine's pending operations. Call this before the operation begins an update: the pending operation of that
   * update would look like that of a killed update.
   */
  readonly readPending = once(() => this.operation.states.interruptedUpdates());

  /** How many pending creates of the set the state had before this operation. */
  async pendingCreates({ identity }: SetResource): Promise<number> {
    return (await this.readPending()).filter(({ urn, isCreate }) => isCreate && urn === identity.savedUrn).length;
  }

  /** The interrupted update, as the set's log describes it, or else the engine's pending operation. */
  async of(resource: SetResource, state: SetState | undefined, before: SetVoices): Promise<Interruption | undefined> {
    const logged = await this.logged(resource, state);
    if (logged !== undefined && logged !== "damaged") {
      const creates = await inParallel(logged.creates, (create) => this.withNote(create));
      return { ...logged, creates, existing: [...logged.existing, ...before.released] };
    }
    const creates = await this.pending(resource);
    if (creates === undefined && logged === undefined) return undefined;
    const { name } = resource;
    return { creates: creates ?? [], deletes: [...voiceIds(before)], existing: before.released, name };
  }

  private async withNote(create: LoggedCreate): Promise<SoughtCreate> {
    const note = create.note === undefined ? undefined : await this.operation.journal.find(create.note);
    if (note === undefined) return { ...create, found: [] };
    const { isOurs, id, sentMs, bytesUnderWay, end } = leftIn(note);
    if (!isOurs) return { ...create, found: [], isUnclear: true };
    const voice = create.voice ?? id;
    return { ...create, voice, sentMs, bytesUnderWay, wasAnswered: end === "answered", found: [] };
  }

  private async logged(
    resource: SetResource,
    state: SetState | undefined,
  ): Promise<SetLogEntry | "damaged" | undefined> {
    const own = await this.operation.states.own().catch(() => undefined);
    if (own === undefined) return undefined;
    const logged = state && (await this.setLog.ofSaved(state));
    return logged ?? this.ofUnsavedSet(resource, own, state);
  }

  /**
   * The log of a set that no state has, because its create was killed. `replaced`: the set that the state has instead,
   * e.g. after a killed `--replace`.
   */
  private async ofUnsavedSet(
    resource: SetResource,
    own: StackState,
    replaced: SetState | undefined,
  ): Promise<SetLogEntry | "damaged" | undefined> {
    const { savedUrn } = resource.identity;
    const unsaved = await this.setLog.ofUnsaved(savedUrn, own, () => this.pendingCreates(resource));
    const hasEnded = unsaved !== undefined && unsaved !== "damaged" && unsaved.open !== undefined;
    // The set may have been created in this operation, in place of `replaced`, which is now deleted.
    return replaced !== undefined && hasEnded ? undefined : unsaved;
  }

  /**
   * The creates in the engine's pending updates of the set. Leaves out a pending create of the set: voices may have
   * left the set since then, so it is no evidence for a delete. Leaves out names that this package would not give the
   * entry: somebody has written them into the state.
   */
  private async pending({ identity, name }: SetResource): Promise<SoughtCreate[] | undefined> {
    const { log, states } = this.operation;
    const ofSet = (await this.readPending()).filter(({ urn, isCreate }) => urn === identity.savedUrn && !isCreate);
    if (ofSet.length === 0) return undefined;
    if (ofSet.some(({ hidesNames }) => hidesNames))
      log.warn(
        "a pending update has secret entries that can't be read, so it is not known which voices it was about to create. " +
          "`npx --no-install pulumi-cloudvoice voices` lists the account",
      );
    const isOurs = await states.isOwnKnown();
    const intended = ofSet.flatMap((each) => each.intended);
    const creates = await inParallel(intended, async (each) => {
      return (await this.isNameOfEntry(each)) && isOurs ? this.pendingCreate(each, name) : [];
    });
    return creates.flat();
  }

  private async isNameOfEntry({ urn, inputs, preferredName }: PendingUpdate["intended"][number]): Promise<boolean> {
    const { log, facts } = this.operation;
    if (await facts.isNameIn({ urn, inputs }, preferredName)) return true;
    log.warn(
      `a pending operation names the voice ${preferredName} for ${nameInUrn(urn)}, which would get another ` +
        "name. Nothing is concluded from it, and no voice of that name is deleted",
    );
    return false;
  }

  private async pendingCreate(
    { urn, inputs, preferredName, targetModel }: PendingUpdate["intended"][number],
    name: string,
  ): Promise<SoughtCreate[]> {
    const named = { ...inputs, preferredName, targetModel };
    const left = await this.operation.earlier.create({ ...named, nameVersion }, stackOfUrn(urn));
    if (left?.isOurs !== true) return [];
    const { sentMs, bytesUnderWay, id: voice, end } = left;
    const [, key = ""] = pathParts(`set${nameInUrn(urn).slice(name.length)}`);
    return [{ key, inputs: named, sentMs, bytesUnderWay, voice, wasAnswered: end === "answered", found: [] }];
  }
}
