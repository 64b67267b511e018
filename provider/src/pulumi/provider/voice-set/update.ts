import { randomUUID } from "node:crypto";
import pLimit from "p-limit";
import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError } from "../../../errors";
import { nameVersion, voiceCarriesName } from "../../../rules/naming";
import { QuestionError } from "../../../rules/question";
import { entryName } from "../../../rules/resource-types";
import { type CheckedVoice, hasGeneratedName, type VoiceOutputs } from "../../../rules/voice";
import {
  type Leftover,
  madeVoices,
  type SetInputs,
  setState,
  type SetState,
  wantedEntries,
} from "../../../rules/voice-set";
import { clonedVoices } from "../../../service/voices/account";
import type { ListedVoice } from "../../../service/voices/client";
import { InitializationFailed } from "../lifecycle";
import type { Operation } from "../operation";
import { goneAtEnd } from "../voice/ask";
import { entryOf, inParallel, type SetResource } from "./entry";
import type { Intended, InterruptedUpdates } from "./interrupted";
import type { EntryStep, SetPlanner, VoiceLifecycle } from "./plan";
import { createCount } from "./progress";

interface Failure {
  name: string;
  error: unknown;
}

/** Creates, replaces and deletes the voices of a set. `olds` is undefined for a set that is created. */
export function setUpdate(
  operation: Operation,
  voice: VoiceLifecycle,
  plan: SetPlanner,
  interrupted: InterruptedUpdates,
) {
  const { settings, service, log, journal } = operation;

  return { run, remove };

  async function run(olds: SetState | undefined, news: SetInputs, resource: SetResource): Promise<SetState> {
    const before = madeVoices(olds ?? {});
    const checked = wantedEntries(news);
    const earlier = await interrupted.of(resource, olds);
    const missing = earlier === undefined ? new Set<string>() : await missingIn(before, resource, earlier.hasDeleted);
    const { entries, removed } = await plan(before, news, resource, missing);
    const makes = entries.filter(({ action }) => action === "create" || action === "replace");
    const named = [
      ...before,
      ...(olds?.leftovers ?? []).map(({ key, state }) => [key, state] as const),
      ...makes.map(({ key, wanted }) => [key, wanted.inputs] as const),
    ];
    const keysByName = new Map<string, string[]>();
    for (const [key, { preferredName = "" }] of named)
      keysByName.set(preferredName, [...(keysByName.get(preferredName) ?? []), key]);
    // The note of this update has the names that are sent.
    const creates = await inParallel(makes, async (step) => {
      return { ...step, wanted: { ...step.wanted, inputs: await inputsOf(step) } };
    });
    const instance = olds === undefined ? randomUUID() : olds.instance;
    const updates = (olds?.updates ?? 0) + 1;
    const voices = new Map([...before].filter(([key]) => !missing.has(key)));
    const leftovers = [...(olds?.leftovers ?? [])];
    if (earlier?.hasDeleted) {
      // From the list that creates reuse voices from. A later one may lack a deleted voice already.
      const reusable = await Promise.all(
        intendedBy(creates).map(({ preferredName, targetModel }) => service.account.named(preferredName, targetModel)),
      );
      await noReuseOfGone([...leftovers.map(({ state }) => state), ...reusable.flat()], resource);
    }
    const kept = new Set(olds?.kept);
    const failures: Failure[] = [];
    const keepsOld = news.keepRemoved === true;
    const left = earlier?.intended;
    let allDeletesEnded = true;
    /** Whether everything that a killed update left behind is gone. */
    let isCleared = left === undefined;
    const isDeleting = removed.length > 0 || leftovers.length > 0 || creates.some(({ from }) => from !== undefined);
    const isWork = creates.length > 0 || removed.length > 0 || leftovers.length > 0 || left !== undefined;

    for (const each of entries) await keep(each);
    const work = isWork ? change() : Promise.resolve();
    const isWhole = await Promise.race([work.then(() => true), operation.stopped.then(() => false)]);
    if (!isWhole)
      failures.push({ name: resource.name, error: new Error("not everything has ended since it was cancelled") });
    // If the outcome is uncertain, the next update looks again.
    const isCertain =
      failures.every(({ error }) => CloudVoiceError.is(error) && error.billed === "no") && allDeletesEnded;
    const ended = isCertain && isCleared ? updates : updates - 1;
    for (const id of held()) kept.delete(id);
    const state = setState(voices, { leftovers, kept: [...kept], instance, updates: ended });
    if (failures.length === 0) return state;
    if (voices.size + leftovers.length === 0) throw errorOf(failures);
    throw new InitializationFailed(resource.name, state, errorOf(failures).message);

    /** A voice that stays, maybe under a new key. */
    async function keep({ key, action, from, wanted }: EntryStep): Promise<void> {
      if (from === undefined || action === "create" || action === "replace") return;
      if (from.key !== key) {
        voices.delete(from.key);
        // The check may have expected a create. None follows, so keep no voice for it.
        operation.calls.claim(from.state.voice, checked.get(key)?.inputs ?? {}, entryOf(resource, key));
      }
      const { state: old } = from;
      const inputs = wanted.inputs as CheckedVoice;
      const kept = action === "same" ? old : await voice.update(old.voice, old, inputs, entryOf(resource, key));
      const isRenamed = from.key !== key && hasGeneratedName(old);
      voices.set(key, isRenamed ? { namedAs: entryName(resource.name, from.key), ...kept } : kept);
    }

    async function change(): Promise<void> {
      const hasDeleted = earlier?.hasDeleted === true || isDeleting || (left ?? []).length > 0;
      const intended = intendedBy(creates);
      const existing = [...(earlier?.existing ?? []), ...(await namedBefore(intended, left ?? []))];
      // A voice that leaves the set on purpose and stays must not look like one that a killed update left.
      if (keepsOld) existing.push(...held([...intended, ...(left ?? [])]));
      const note = { intended: [...intended, ...(left ?? [])], existing, hasDeleted };
      // After a kill of the engine alone, the next run may have written its note.
      await operation.assertEngineAlive();
      await interrupted.note(resource, { instance, updates }, note);
      const deletesFirst = news.deleteBeforeReplace === true;
      const isReplaced = ({ action }: EntryStep) => action === "replace";
      /** A create takes over a leftover with its name. If it failed, the next update sends it again. */
      const dropLeftovers = (awaiting: readonly EntryStep[]) => {
        const wanted = held(intendedBy(awaiting));
        const unwanted = leftovers.filter(({ state }) => !wanted.has(state.voice));
        return inParallel(unwanted, (leftover) => attempt(leftover.key, () => removeLeftover(leftover)));
      };
      // A full account has no room for leftovers of an earlier update.
      if (leftovers.length > 0 || left !== undefined) {
        if ((await missingRoom(creates, held())) > 0) {
          await dropLeftovers(creates);
          if (left !== undefined)
            await attempt("", () => removeOrphans({ left, existing }, voices, resource, intended));
        }
      }
      const excess = deletesFirst || keepsOld ? 0 : await missingRoom(creates, held());
      const goFirst = removed.splice(0, excess);
      const oneByOne = creates.filter(isReplaced).slice(0, excess - goFirst.length);
      await inParallel(goFirst, (key) => attempt(key, () => removeEntry(key)));
      const single = pLimit(1);
      const countCreate = createCount(creates.length, resource.name, operation);
      await inParallel(creates, async (step) => {
        const isFirst = isReplaced(step) && (deletesFirst || oneByOne.includes(step));
        const make = () => attempt(step.key, () => (isFirst ? deleteAndCreate(step) : create(step)));
        await (isFirst && !deletesFirst ? single(make) : make());
        countCreate();
      });
      // Delete the voices of removed entries only if nothing failed that may replace them.
      if (failures.length === 0) await inParallel(removed, (key) => attempt(key, () => removeEntry(key)));
      await dropLeftovers(
        creates.filter(({ key, wanted: { inputs } }) => {
          return voices.get(key)?.preferredName !== inputs.preferredName;
        }),
      );
      if (left === undefined || failures.length > 0) return;
      // The check may have expected a create where a voice stayed under another key.
      for (const { key } of entries) operation.calls.expectNoCreate(entryOf(resource, key));
      await attempt("", () => removeOrphans({ left, existing }, voices, resource));
      isCleared = failures.length === 0;
    }

    /** The voices that the set holds now, or only those that have one of these names. */
    function held(intended?: readonly Intended[]): Set<string> {
      const names = intended && new Set(intended.map(({ preferredName }) => preferredName));
      const states = [...voices.values(), ...leftovers.map(({ state }) => state)];
      const named = names ? states.filter(({ preferredName }) => names.has(preferredName)) : states;
      return new Set(named.map(({ voice: id }) => id));
    }

    /** A voice leaves the set: it is deleted, or stays in the account. */
    async function leave(key: string, state: VoiceOutputs): Promise<void> {
      if (!keepsOld) return drop(key, state);
      kept.add(state.voice);
      // It must be listed first: if it appeared later, a create of the same name whose response is lost would take it.
      await operation.facts.look(state.voice, state.createdAt);
      log.line(
        `the voice ${state.voice} of ${entryName(resource.name, key)} leaves the set and stays in the account (keepRemoved)`,
      );
    }

    async function drop(key: string, state: VoiceOutputs): Promise<void> {
      await voice.delete(state.voice, state, entryOf(resource, key)).catch((error: unknown) => {
        allDeletesEnded = false;
        throw error;
      });
    }

    async function attempt(key: string, work: () => Promise<void>): Promise<void> {
      await work().catch((error: unknown) => {
        failures.push({ name: key === "" ? resource.name : entryName(resource.name, key), error });
      });
    }

    async function create(step: EntryStep): Promise<void> {
      const { key, from, wanted } = step;
      const { state } = await voice.create(wanted.inputs as CheckedVoice, entryOf(resource, key));
      if (from !== undefined && from.state.voice !== state.voice) leftovers.push(from);
      voices.set(key, state);
    }

    async function deleteAndCreate(step: EntryStep): Promise<void> {
      const { key, from, wanted } = step;
      if (from !== undefined) await drop(key, from.state);
      voices.delete(key);
      const { state } = await voice.create(wanted.inputs as CheckedVoice, entryOf(resource, key));
      voices.set(key, state);
    }

    /**
     * The inputs with a name that no other entry has. The check gives an entry the name of the one that it seems to be
     * renamed from. That name is taken if the voice there is missing or has other content, or if the old key is back. A
     * missing voice may also have had the name of another key. A voice that is created then gets a name of its own.
     */
    async function inputsOf({ key, from, wanted: { inputs } }: EntryStep): Promise<CheckedVoice> {
      if (!hasGeneratedName(inputs)) return inputs as CheckedVoice;
      const { urn = "" } = entryOf(resource, key).identity ?? {};
      const namedSo = keysByName.get(inputs.preferredName ?? "") ?? [];
      const isOwn =
        namedSo.every((other) => other === key) &&
        from?.state.preferredName !== inputs.preferredName &&
        !missing.has(key) &&
        (await operation.facts.isNameIn({ urn, inputs }, inputs.preferredName ?? ""));
      if (isOwn) return inputs as CheckedVoice;
      const { preferredName: _, nameVersion: _version, audioSha256: _hash, audioSeconds: _seconds, ...given } = inputs;
      const checked = await voice.check(given, undefined, entryOf(resource, key), new Set());
      return checked.inputs as CheckedVoice;
    }

    async function removeEntry(key: string): Promise<void> {
      const state = before.get(key);
      if (state !== undefined) await leave(key, state);
      voices.delete(key);
    }

    async function removeLeftover(leftover: Leftover): Promise<void> {
      // What this update has replaced needs no proof.
      const isEarlier = olds?.leftovers?.includes(leftover) === true;
      if (keepsOld || !isEarlier || (await isMadeBySet(leftover, resource))) await leave(leftover.key, leftover.state);
      leftovers.splice(leftovers.indexOf(leftover), 1);
    }
  }

  /**
   * Whether the name of a replaced voice shows that the set made it. Otherwise the voice stays: no entry has it, so
   * nothing but a field of the state says that it may go.
   */
  async function isMadeBySet({ key, state }: Leftover, resource: SetResource): Promise<boolean> {
    if ((await operation.facts.isNamedFor(state.voice, state, entryOf(resource, key))) === "yes") return true;
    log.warn(
      `the voice ${state.voice}, which an earlier update replaced, stays in the account: its name does not show that ` +
        `${entryName(resource.name, key)} made it. If nobody uses it, \`npx --no-install pulumi-cloudvoice delete ` +
        `${state.voice}\` deletes it`,
    );
    return false;
  }

  /** Deletes all voices of a set. The engine keeps the whole set if one of them can't be deleted. */
  async function remove(state: SetState, resource: SetResource): Promise<void> {
    const { intended: left, existing = [] } = (await interrupted.of(resource, state)) ?? {};
    // If the destroy does not end, or the engine does not save its end, the next update looks which voices exist.
    const note = { intended: left ?? [], existing, hasDeleted: true };
    await operation.assertEngineAlive();
    await interrupted.note(resource, { instance: state.instance, updates: state.updates + 1 }, note);
    const failures: Failure[] = [];
    const made = [...madeVoices(state)].map(([key, each]) => ({ key, state: each }));
    const replaced = await inParallel(state.leftovers ?? [], async (each) =>
      (await isMadeBySet(each, resource)) ? [each] : [],
    );
    const all = [...made, ...replaced.flat()];
    await inParallel(all, ({ key, state: each }) =>
      voice.delete(each.voice, each, entryOf(resource, key)).catch((error: unknown) => {
        failures.push({ name: entryName(resource.name, key), error });
      }),
    );
    if (failures.length > 0) throw errorOf(failures);
    if (left !== undefined) await removeOrphans({ left, existing }, new Map(), resource);
  }

  /**
   * The keys of voices that are in the state although a killed update has deleted them. The list may show them for a
   * while.
   */
  async function missingIn(
    voices: ReadonlyMap<string, VoiceOutputs>,
    resource: SetResource,
    hasDeleted: boolean,
  ): Promise<Set<string>> {
    const there = await inParallel([...voices], async ([key, state]) => {
      const isDeleted = await journal.wasDeleted(state.voice);
      const found = isDeleted ? undefined : await voice.read(state.voice, state, entryOf(resource, key));
      return found === undefined ? [] : [state];
    });
    const gone = hasDeleted && there.flat().length > 0 ? await goneAtEnd(operation, there.flat(), resource) : [];
    const stay = new Set(there.flat().filter((state) => !gone.includes(state)));
    const missing = [...voices].filter(([, state]) => !stay.has(state));
    // No create may reuse it from the list.
    for (const [, state] of missing) service.account.remove(state.voice);
    return new Set(missing.map(([key]) => key));
  }

  /**
   * Keeps creates from reusing a voice that a delete of unknown outcome may have deleted, and that the list still
   * shows. It stays a leftover, because one list proves no absence: its delete is sent again, which shows whether it is
   * gone.
   */
  async function noReuseOfGone(voices: { voice: string }[], resource: SetResource): Promise<void> {
    if (voices.length === 0) return;
    for (const { voice: id } of await goneAtEnd(operation, voices, resource)) service.account.remove(id);
  }

  /** Deletes voices that a killed update made and no entry uses. A voice that another resource holds stays. */
  async function removeOrphans(
    { left, existing }: { left: readonly Intended[]; existing: readonly string[] },
    voices: ReadonlyMap<string, VoiceOutputs>,
    resource: SetResource,
    wanted: readonly Intended[] = [],
  ): Promise<void> {
    const used = new Set(wanted.map(({ preferredName }) => preferredName));
    const kept = new Set([...voices.values()].map((state) => state.voice));
    const unused = left.filter(({ preferredName }) => !used.has(preferredName));
    const made = await interrupted.voicesOf({ intended: unused, existing }, resource);
    for (const { voice: id, targetModel } of await interrupted.unheld(made.filter((row) => !kept.has(row.voice)))) {
      const intended = unused.find(({ preferredName }) => voiceCarriesName(id, preferredName, true));
      if (intended === undefined) continue;
      log.line(`deletes the voice ${id}, which a killed update of ${resource.name} left behind`);
      const { preferredName } = intended;
      const facts = { audio: "", degraded: false, adopted: false, account: service.voiceFingerprint() };
      await voice.delete(
        id,
        { voice: id, targetModel, preferredName, nameVersion, ...facts },
        { ...resource, label: "" },
      );
    }
  }

  /** The voices that have one of these names and were not created by a killed update. */
  async function namedBefore(intended: readonly Intended[], left: readonly Intended[]): Promise<string[]> {
    const names = new Set(left.map(({ preferredName }) => preferredName));
    const found = await listed(intended.filter(({ preferredName }) => !names.has(preferredName)));
    return found.map((row) => row.voice);
  }

  async function listed(intended: readonly Intended[]): Promise<ListedVoice[]> {
    const named = intended.map(({ preferredName, targetModel }) =>
      service.account.namedSurely(preferredName, targetModel),
    );
    return (await Promise.all(named)).flat();
  }

  /**
   * How many voices must be deleted before new ones fit into the account. No create reuses a voice that the set holds.
   */
  async function missingRoom(creates: readonly EntryStep[], held: ReadonlySet<string>): Promise<number> {
    if (settings.quotaCheck === "off" || creates.length === 0) return 0;
    const voices = await service.account.voices();
    const names = new Set(voices.map((row) => row.voice));
    const made: EntryStep[] = [];
    for (const step of creates) {
      const { adopt, preferredName = "", targetModel = "" } = step.wanted.inputs;
      if (adopt !== undefined && names.has(adopt)) continue;
      const named = await service.account.named(preferredName, targetModel);
      if (named.every((row) => held.has(row.voice))) made.push(step);
    }
    return Math.max(0, clonedVoices(voices).length + made.length - settings.voiceQuota);
  }
}

export type SetUpdate = ReturnType<typeof setUpdate>;

function intendedBy(creates: readonly EntryStep[]): Intended[] {
  return creates.flatMap(({ wanted: { inputs } }) => {
    const { preferredName, targetModel, adopt } = inputs;
    const isIntended = adopt === undefined && hasGeneratedName(inputs);
    return isIntended && preferredName !== undefined && targetModel !== undefined
      ? [{ preferredName, targetModel }]
      : [];
  });
}

/** Every failed entry with its reason. Entries with the same reason are named together. */
function errorOf(failures: readonly Failure[]): CloudVoiceError {
  const byReason = new Map<string, { reason: string; names: string[] }>();
  for (const { name, error } of failures) {
    const reason = describeThrown(error).message;
    // The last text of a question names the most.
    const key = error instanceof QuestionError ? error.questionId : reason;
    byReason.set(key, { reason, names: [...(byReason.get(key)?.names ?? []), name] });
  }
  const lines = [...byReason.values()].map(({ reason, names }) => `${names.sort().join(", ")}: ${reason}`);
  return new CloudVoiceError(lines.join("; "), { cause: failures[0]?.error });
}
