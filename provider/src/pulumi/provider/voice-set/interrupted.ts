import * as z from "zod";
import { once } from "../../../once";
import { nameVersion, voiceCarriesName } from "../../../rules/naming";
import { nameInUrn } from "../../../rules/resource-types";
import type { SetState } from "../../../rules/voice-set";
import type { ListedVoice } from "../../../service/voices/client";
import { lookUntilFound } from "../../../service/voices/look";
import { stackOfUrn } from "../../../stacks/names";
import type { PendingUpdate } from "../../../stacks/state";
import { unseenQuestion } from "../../../voices/judge/missing";
import type { Operation } from "../operation";
import type { SetResource } from "./entry";

/** The generated name of a voice that an update wanted to create, and the model that it is bound to. */
export interface Intended {
  preferredName: string;
  targetModel: string;
}

/** What an update was about to do. */
export interface Interrupted {
  intended: readonly Intended[];
  /** Voices that already had one of these names, so the update did not create them. */
  existing: readonly string[];
  /** Whether it may have deleted voices that are still in the state. */
  hasDeleted: boolean;
}

/**
 * The creates that killed updates of a set had begun. The state of the set does not show them. So before
 * its first request, each update notes the names of the voices that it creates. The note has the number of the update,
 * which a finished update also writes into the state. Without a journal, a pending operation in the state shows it.
 */
export function interruptedUpdates({ journal, states, facts, service, settings, log, questions }: Operation) {
  const keyOf = async ({ identity }: SetResource) =>
    journal.keyOf("voice set", await states.place(stackOfUrn(identity.urn)), identity.savedUrn);
  const pending = once(() => states.interruptedUpdates());
  /**
   * The voices that pending updates were about to create. A pending create is left out: it may be older than voices that
   * have left the set since, so it is no evidence for a delete. So is a name that the operation's own entry would not
   * get: somebody wrote it into the state.
   */
  async function namesOf(operations: readonly PendingUpdate[]): Promise<Intended[]> {
    if (operations.some(({ hidesNames }) => hidesNames))
      log.warn(
        "a pending update has secret entries that can't be read, so it is not known which voices it was about to create. " +
          "`npx --no-install pulumi-cloudvoice voices` lists the account",
      );
    const named = operations.flatMap(({ isCreate, intended }) => (isCreate ? [] : intended));
    const proven = await Promise.all(
      named.map(async ({ preferredName, targetModel, ...source }) => {
        if (await facts.isNameIn(source, preferredName)) return [{ preferredName, targetModel }];
        log.warn(
          `a pending operation names the voice ${preferredName} for ${nameInUrn(source.urn)}, which would get another ` +
            "name. Nothing is concluded from it, and no voice of that name is deleted",
        );
        return [];
      }),
    );
    return proven.flat();
  }

  /** A note without a valid seal proves nothing. */
  const noteOf = async (key: string) => {
    const note = await journal.find(key);
    return note?.unproven ? undefined : note;
  };

  /** Without those that were there before, and those that a run deleted and the list still shows. */
  async function madeSince(rows: readonly ListedVoice[], before: ReadonlySet<string>): Promise<ListedVoice[]> {
    const made = await Promise.all(
      rows.map(async (row) => (before.has(row.voice) || (await journal.wasDeleted(row.voice)) ? [] : [row])),
    );
    return made.flat();
  }

  /** One list that lacks them proves nothing. */
  async function lookForCertain(
    unseen: readonly Intended[],
    before: ReadonlySet<string>,
    stack: string,
  ): Promise<ListedVoice[]> {
    const certain = await service.account.certainNow();
    const made: ListedVoice[] = [];
    for (const { preferredName, targetModel } of unseen) {
      const { found, doubt } = certain({ preferredName, targetModel, generated: true });
      const rows = await madeSince(found, before);
      made.push(...rows);
      if (rows.length > 0 || doubt === undefined) continue;
      const question = unseenQuestion(preferredName, stack, doubt, { origin: settings.voiceBaseUrl });
      await questions.assertAccepted(question, `the voice ${preferredName} counts as not created`);
    }
    return made;
  }

  /**
   * Those of the voices that no resource of any readable state holds. The notes of a renamed stack are also found by
   * the next stack with its former name, so a voice may be held elsewhere.
   */
  async function unheld(voices: readonly ListedVoice[]): Promise<ListedVoice[]> {
    if (voices.length === 0) return [];
    const holders = await facts.holders("everywhere");
    if (holders === undefined)
      log.warnOnce(
        "orphans",
        `${voices.map(({ voice }) => voice).join(", ")}: not deleted, because states can't be read`,
      );
    const held = new Set(holders?.map(({ voice }) => voice));
    return holders === undefined ? [] : voices.filter(({ voice }) => !held.has(voice));
  }

  return {
    unheld,

    /**
     * Call this before the operation begins an update: its own pending operation would look like that of a killed
     * update.
     */
    look: async (): Promise<void> => {
      await pending();
    },

    /** What killed updates may have made and deleted. Undefined if no update was interrupted. */
    async of(resource: SetResource, state: SetState | undefined): Promise<Interrupted | undefined> {
      const key = await keyOf(resource);
      const note = await noteOf(key);
      const updates = state?.updates ?? 0;
      const hasEnded = state !== undefined && note?.id === updateId(state.instance, updates);
      if (hasEnded) await journal.remove(key);
      // It comes from the destroy of another instance of the set, for example one that --replace has replaced.
      const isOfAnother = state !== undefined && note?.id?.startsWith(updateId(state.instance, "")) === false;
      const isNoted = note !== undefined && !hasEnded && !isOfAnother;
      // A pending create stays in the state even after its voices have left the set. The note is newer.
      const isOpen = ({ urn, isCreate }: PendingUpdate) =>
        urn === resource.identity.savedUrn && (!isCreate || (updates === 0 && !isNoted));
      const operations = (await pending()).filter(isOpen);
      if (!isNoted && operations.length === 0) return undefined;
      const noted = isNoted ? notedIn(note.result) : undefined;
      return {
        intended: [...(noted?.intended ?? []), ...(await namesOf(operations))],
        existing: [...(noted?.existing ?? []), ...(state?.kept ?? [])],
        hasDeleted: noted?.hasDeleted ?? true,
      };
    },

    /**
     * The note of the last update, and the names of a pending update, including those that have become voices of the
     * set.
     */
    async last(resource: SetResource): Promise<Pick<Interrupted, "intended" | "existing">> {
      const { intended, existing } = notedIn((await noteOf(await keyOf(resource)))?.result);
      const ofSet = (await pending()).filter(({ urn }) => urn === resource.identity.savedUrn);
      return { intended: [...intended, ...(await namesOf(ofSet))], existing };
    },

    /** Keep the note of a destroy, in case the engine does not save that it has ended. */
    async note(
      resource: SetResource,
      { instance, updates }: Pick<SetState, "instance" | "updates">,
      { intended, existing, hasDeleted }: Interrupted,
    ): Promise<void> {
      const byModel = new Map<string, Set<string>>();
      for (const { preferredName, targetModel } of intended)
        byModel.set(targetModel, (byModel.get(targetModel) ?? new Set()).add(preferredName));
      // The length of a note is bounded: as pairs, a thousand names would be too long.
      const names = Object.fromEntries([...byModel].map(([targetModel, ofModel]) => [targetModel, [...ofModel]]));
      const result = JSON.stringify({ hasDeleted, existing: [...existing], names } satisfies z.infer<typeof noteOfSet>);
      const note = { sentAtMs: service.clock.now(), id: updateId(instance, updates), result };
      await journal.write(await keyOf(resource), note, true);
    },

    /**
     * The voices of interrupted creates that the list shows now and no resource holds, and the names of those that may
     * still appear. `held`: the voices of the set.
     */
    async listedNow(
      { intended, existing }: Interrupted,
      resource: SetResource,
      held: ReadonlySet<string>,
    ): Promise<string[]> {
      const before = new Set([...existing, ...held]);
      const stack = stackOfUrn(resource.identity.urn);
      const found = await Promise.all(
        uniqueBy(intended, ({ preferredName, targetModel }) => `${preferredName} ${targetModel}`).map(async (each) => {
          const rows = await service.account.named(each.preferredName, each.targetModel);
          const isHeld = rows.some((row) => held.has(row.voice));
          const made = await unheld(await madeSince(rows, before));
          if (made.length > 0 || isHeld) return made.map((row) => row.voice);
          const unfinished = await facts.unfinished.find({ ...each, nameVersion }, stack);
          return unfinished?.isOurs === true && !before.has(unfinished.voice ?? "") ? [each.preferredName] : [];
        }),
      );
      return found.flat();
    },

    /**
     * The voices of interrupted creates, without those that were there before. A voice whose create was sent a moment
     * ago may still appear, so it is looked for until it can no longer appear.
     */
    async voicesOf(
      { intended, existing }: Pick<Interrupted, "intended" | "existing">,
      resource: SetResource,
    ): Promise<ListedVoice[]> {
      const before = new Set(existing);
      const stack = stackOfUrn(resource.identity.urn);
      const sent = await Promise.all(
        intended.map(async (each) => {
          const found = await facts.unfinished.find({ ...each, nameVersion }, stack);
          const isOpen = found?.isOurs === true && !before.has(found.voice ?? "");
          return isOpen ? [{ ...each, ...found }] : [];
        }),
      );
      const made: ListedVoice[] = [];
      const looksFor = new Set(sent.flat());
      const lastMs = Math.max(0, ...sent.flat().map(({ sinceMs }) => sinceMs));
      const leftMs = lastMs + settings.requestTimeoutMs + settings.settleMs - service.clock.now();
      const line =
        `an update of ${resource.name} was killed while it created voices. The list is searched for these voices ` +
        `for up to ${Math.ceil(leftMs / 1000)} s (settleSeconds, requestTimeoutSeconds)`;
      const beforeWait = () => log.once("interrupted set", line);
      const lookForAll = async () => {
        const listed = await service.account.allNow();
        for (const each of looksFor) {
          const { preferredName, targetModel, voice } = each;
          const isNamed = (row: ListedVoice) =>
            row.targetModel === targetModel && voiceCarriesName(row.voice, preferredName, true);
          const found = listed.filter((row) => row.voice === voice || isNamed(row));
          const rows = await madeSince(found, before);
          if (rows.length === 0) continue;
          made.push(...rows);
          looksFor.delete(each);
        }
        return looksFor.size === 0 ? true : undefined;
      };
      if (looksFor.size > 0) await lookUntilFound({ clock: service.clock, forMs: leftMs, beforeWait }, lookForAll);
      if (looksFor.size > 0) made.push(...(await lookForCertain([...looksFor], before, stack)));
      return [...new Map(made.map((row) => [row.voice, row])).values()];
    },
  };
}

export type InterruptedUpdates = ReturnType<typeof interruptedUpdates>;

/** The first of the items with each key. */
function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map([...items].reverse().map((item) => [keyOf(item), item])).values()];
}

/** An update of an instance of a set. Sets of older states have no instance. */
function updateId(instance = "", updates: number | ""): string {
  return `${instance}:${updates}`;
}

const noteOfSet = z.object({
  hasDeleted: z.boolean(),
  existing: z.array(z.string()),
  /** By their models. */
  names: z.record(z.string(), z.array(z.string())),
});

/** A note that was too long, or that has another form, shows only that an update began, and not what it did. */
function notedIn(text = "null"): Interrupted {
  const { data } = noteOfSet.safeParse(JSON.parse(text));
  if (data === undefined) return { hasDeleted: true, existing: [], intended: [] };
  const { names, ...noted } = data;
  const intended = Object.entries(names).flatMap(([targetModel, ofModel]) =>
    ofModel.map((preferredName) => ({ preferredName, targetModel })),
  );
  return { ...noted, intended };
}
