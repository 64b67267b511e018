import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError } from "../../../errors";
import { firstOf } from "../../../rules/first-of";
import { QuestionError } from "../../../rules/question";
import { entryName } from "../../../rules/resource-types";
import { asDeclared, type CheckedVoice, hasGeneratedName, type VoiceOutputs, voiceUpdates } from "../../../rules/voice";
import type { Outcome } from "../../../rules/voice-set";
import { shellQuoted } from "../../../shell-quoted";
import type { Lifecycle } from "../lifecycle";
import type { Operation } from "../operation";
import { entryOf, inParallel, type SetResource } from "./entry";
import { type CreatingStep, isLeaving, type KeepingStep, type LeavingStep, type Step } from "./plan";

export type VoiceLifecycle = Lifecycle<CheckedVoice, VoiceOutputs>;

/** The outcome or the error of a step. A step without a result was skipped, or has not ended. */
export type Result = { step: Step } & ({ outcome: Outcome } | { error: unknown });

export interface Failure {
  name: string;
  error: unknown;
}

/**
 * Runs the steps turn by turn. Returns early, with `isWhole` false, if the operation is stopped. Skips a step if an
 * earlier step of its chain has failed. Skips a step with `isLast` also if any other step has failed, except the delete
 * of a superseded voice.
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
      const mayReplace = !isLeaving(failed) || failed.why !== "superseded";
      return failed.chain === step.chain || (isLeaving(step) && step.isLast === true && mayReplace);
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

function grouped<T>(items: readonly T[], keyOf: (item: T) => unknown): T[][] {
  const groups = new Map<unknown, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}

interface Work {
  operation: Operation;
  voice: VoiceLifecycle;
  resource: SetResource;
  /**
   * Superseded voices that only the state names, not the set's log. They are deleted only if their name shows that the
   * set made them.
   */
  doubtful: ReadonlySet<string>;
  /** Called for each create that has ended. */
  countCreate: () => void;
}

export function performStep(work: Work, step: Step): Promise<Outcome> {
  switch (step.action) {
    case "keep":
      return keep(work, step);
    case "create":
      return create(work, step);
    case "release":
      return release(work, step);
    case "delete":
      return remove(work, step);
  }
}

async function keep(
  { voice, resource }: Work,
  { key, entry, keeps: { key: from, state } }: KeepingStep,
): Promise<Outcome> {
  const { inputs, unknown } = entry.wanted;
  if (from === key && voiceUpdates(state, inputs, unknown).length === 0) return { key, has: state };
  const { preferredName, nameVersion } = asDeclared(state);
  const named = hasGeneratedName({ nameVersion }) ? { ...inputs, preferredName, nameVersion } : inputs;
  return { key, has: await voice.update(state.voice, state, named as CheckedVoice, entryOf(resource, key)) };
}

async function create({ voice, resource, countCreate }: Work, { key, entry }: CreatingStep): Promise<Outcome> {
  const inputs = entry.wanted.inputs as CheckedVoice;
  const { state } = await voice.create(inputs, entryOf(resource, key)).finally(countCreate);
  return { key, has: state };
}

async function release({ operation, resource }: Work, { key, state }: LeavingStep): Promise<Outcome> {
  const { facts, log } = operation;
  // If the list showed the voice late, a create with the same name and a lost response would take it for its own.
  await facts.look(state.voice, state.createdAt);
  const name = entryName(resource.name, key);
  log.line(`the voice ${state.voice} of ${name} leaves the set and stays in the account (keepRemoved)`);
  return { key, left: state.voice, stays: true };
}

async function remove(work: Work, { key, state, why }: LeavingStep): Promise<Outcome> {
  const { voice, resource, doubtful } = work;
  const isDoubtful = why === "superseded" && doubtful.has(state.voice);
  if (!isDoubtful || (await isMadeBySet(work, key, state)))
    await voice.delete(state.voice, state, entryOf(resource, key));
  return { key, left: state.voice };
}

/** A state alone, which somebody may have edited, is not enough evidence to delete a superseded voice. */
async function isMadeBySet({ operation, resource }: Work, key: string, state: VoiceOutputs): Promise<boolean> {
  const { facts, log } = operation;
  if ((await facts.isNamedFor(state.voice, state, entryOf(resource, key))) === "yes") return true;
  log.warn(
    `the voice ${state.voice}, which an earlier update replaced, stays in the account: its name does not show that ` +
      `${entryName(resource.name, key)} made it. If nobody uses it, \`npx --no-install pulumi-cloudvoice delete ` +
      `${shellQuoted(state.voice)}\` deletes it`,
  );
  return false;
}

/** Whether the outcome of a failed step is known: nothing was billed or deleted. */
export function isCertain({ step, error }: { step: Step; error: unknown }): boolean {
  return !isLeaving(step) && CloudVoiceError.is(error) && error.billed === "no";
}

/** One error for all failed entries. Entries with the same reason, or the same question, are named together. */
export function errorOf(failures: readonly Failure[]): CloudVoiceError {
  const byReason = new Map<string, { reason: string; names: string[] }>();
  for (const { name, error } of failures) {
    const reason = describeThrown(error).message;
    // A question grows with each entry that it is about, so its last text is complete.
    const key = error instanceof QuestionError ? error.questionId : reason;
    byReason.set(key, { reason, names: [...(byReason.get(key)?.names ?? []), name] });
  }
  const lines = [...byReason].map(([key, { reason, names }]) => {
    const isQuestion = key !== reason && names.length > 1;
    return `${isQuestion ? `${names.length} entries (${firstOf(names.sort())})` : names.sort().join(", ")}: ${reason}`;
  });
  return new CloudVoiceError(lines.join("; "), { cause: failures[0]?.error });
}
