import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError } from "../../../errors";
import { firstOf } from "../../../rules/first-of";
import { QuestionError } from "../../../rules/question";
import { entryName } from "../../../rules/resource-types";
import { type CheckedVoice, hasGeneratedName, type VoiceOutputs } from "../../../rules/voice";
import type { Outcome } from "../../../rules/voice-set";
import type { Lifecycle } from "../lifecycle";
import type { Operation } from "../operation";
import { entryOf, inParallel, type SetResource } from "./entry";
import { type Step } from "./plan";
import { createCount } from "./progress";

export type VoiceLifecycle = Lifecycle<CheckedVoice, VoiceOutputs>;

/** What became of a step. A step that is not among the results was not begun, or has not ended. */
export type Result = { step: Step } & ({ outcome: Outcome } | { error: unknown });

export interface Failure {
  name: string;
  error: unknown;
}

/**
 * Runs the steps turn by turn. Returns early if the operation is stopped: `isWhole` is false then. A step waits for the
 * earlier ones of its key, and is left out if one of them failed.
 */
export async function runSteps(
  steps: readonly Step[],
  perform: (step: Step) => Promise<Outcome>,
  stopped: Promise<void>,
): Promise<{ results: readonly Result[]; isWhole: boolean }> {
  const results: Result[] = [];
  const isBlocked = (step: Step) =>
    results.some((result) => {
      if ("outcome" in result) return false;
      const { step: failed } = result;
      const mayReplace = failed.action !== "delete" || failed.why !== "superseded";
      return failed.chain === step.chain || (step.action === "delete" && step.isLast === true && mayReplace);
    });
  const runStep = async (step: Step): Promise<void> => {
    if (isBlocked(step)) return;
    await perform(step).then(
      (outcome) => results.push({ step, outcome }),
      (error: unknown) => results.push({ step, error }),
    );
  };
  const runAll = async (): Promise<void> => {
    for (const turn of grouped(steps, (step) => step.turn)) {
      await inParallel(
        grouped(turn, ({ chain }) => chain),
        async (chain) => {
          for (const step of chain) await runStep(step);
        },
      );
    }
  };
  const isWhole = await Promise.race([runAll().then(() => true), stopped.then(() => false)]);
  return { results: [...results], isWhole };
}

/** The items in groups with the same key, in the order of their first ones. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => unknown): T[][] {
  const groups = new Map<unknown, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}

/** Does a step by the life cycle of a voice. `doubtful`: voices that only a field of the state shows to be of the set. */
export function stepPerformer(
  operation: Operation,
  voice: VoiceLifecycle,
  resource: SetResource,
  steps: readonly Step[],
  doubtful: ReadonlySet<string>,
): (step: Step) => Promise<Outcome> {
  const { log, facts } = operation;
  const countCreate = createCount(steps.filter(({ action }) => action === "create").length, resource.name, operation);

  return (step) => {
    if (step.action === "delete") return leave(step);
    return step.action === "create" ? create(step.key, step.need.wanted.inputs as CheckedVoice) : keep(step);
  };

  /** A voice that stays, maybe under a new key. */
  async function keep({ key, need }: Extract<Step, { need: unknown }>): Promise<Outcome> {
    const { from, wanted } = need;
    if (from === undefined) throw new Error(`no voice for ${key}`);
    const { voice: id, ...old } = from.state;
    if (need.action === "same") return { key, has: from.state };
    const inputs = wanted.inputs as CheckedVoice;
    const { namedAs, ...state } = await voice.update(id, { voice: id, ...old }, inputs, entryOf(resource, key));
    const name = namedAs ?? (hasGeneratedName(state) ? entryName(resource.name, from.key) : undefined);
    const isOwnName = name === undefined || name === entryName(resource.name, key);
    return { key, has: isOwnName ? state : { ...state, namedAs: name } };
  }

  async function create(key: string, inputs: CheckedVoice): Promise<Outcome> {
    const { state } = await voice.create(inputs, entryOf(resource, key)).finally(countCreate);
    return { key, has: state };
  }

  /** A voice leaves the set: it is deleted, or stays in the account. */
  async function leave({ key, state, why, frees }: Extract<Step, { state: unknown }>): Promise<Outcome> {
    const { voice: id } = state;
    if (frees === 0) {
      // It must be listed first: if it appeared later, a create of the same name whose response is lost would take it.
      await facts.look(id, state.createdAt);
      log.line(
        `the voice ${id} of ${entryName(resource.name, key)} leaves the set and stays in the account (keepRemoved)`,
      );
      return { key, gone: id, stays: true };
    }
    if (why === "superseded" && doubtful.has(id) && !(await isMadeBySet(key, state))) return { key, gone: id };
    await voice.delete(id, state, entryOf(resource, key));
    return { key, gone: id };
  }

  /**
   * Whether the name of a superseded voice shows that the set made it. Otherwise the voice stays: no entry has it, so
   * nothing but a field of the state says that it may go.
   */
  async function isMadeBySet(key: string, state: VoiceOutputs): Promise<boolean> {
    if ((await facts.isNamedFor(state.voice, state, entryOf(resource, key))) === "yes") return true;
    log.warn(
      `the voice ${state.voice}, which an earlier update replaced, stays in the account: its name does not show that ` +
        `${entryName(resource.name, key)} made it. If nobody uses it, \`npx --no-install pulumi-cloudvoice delete ` +
        `${state.voice}\` deletes it`,
    );
    return false;
  }
}

/** Whether the outcome of a failed step is known: nothing was billed or deleted. */
export function isCertain({ step, error }: { step: Step; error: unknown }): boolean {
  return step.action !== "delete" && CloudVoiceError.is(error) && error.billed === "no";
}

/** Every failed entry with its reason. Entries with the same reason, or the same question, are named together. */
export function errorOf(failures: readonly Failure[]): CloudVoiceError {
  const byReason = new Map<string, { reason: string; names: string[] }>();
  for (const { name, error } of failures) {
    const reason = describeThrown(error).message;
    // The last text of a question names the most.
    const key = error instanceof QuestionError ? error.questionId : reason;
    byReason.set(key, { reason, names: [...(byReason.get(key)?.names ?? []), name] });
  }
  const lines = [...byReason].map(([key, { reason, names }]) => {
    const isQuestion = key !== reason && names.length > 1;
    return `${isQuestion ? `${names.length} entries (${firstOf(names.sort())})` : names.sort().join(", ")}: ${reason}`;
  });
  return new CloudVoiceError(lines.join("; "), { cause: failures[0]?.error });
}
