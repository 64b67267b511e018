import { once } from "../../once";
import { taskProgress } from "../../rules/image";
import { doubtfulTask } from "../../rules/pay-again";
import type { Settings } from "../../rules/settings";
import { isUnreadId } from "../../service/billed-requests";
import type { Service } from "../../service/connect";
import { lookUpTask } from "../../service/images/wait";
import type { Journal } from "../../service/journal/journal";
import type { ListedVoice } from "../../service/voices/client";
import type { StackState } from "../../stacks/state";
import type { EarlierRuns } from "../../voices/earlier-runs";
import type { OpenCreate } from "../../voices/judge/create";
import { kindOf } from "./change";
import type { Step } from "./preview";

/** The images whose tasks the service may no longer know (`ReviewFacts`). Looking up a task is free. */
export async function doubtfulTasks(
  steps: readonly Step[],
  { imagePollMs: pollMs, settleMs }: Pick<Settings, "imagePollMs" | "settleMs">,
  { images: client, clock }: Pick<Service, "images" | "clock">,
) {
  const doubtful = new Map<string, string | undefined>();
  for (const step of steps) {
    const { urn, op, oldState } = step;
    if (kindOf(step) !== "image" || oldState?.id === undefined || !(op === "same" || op === "update")) continue;
    const { id, outputs } = oldState;
    if (isUnreadId(id)) doubtful.set(urn, undefined);
    else if (taskProgress(String(outputs.taskStatus)) === "waiting") {
      // If the look-up fails now, the update repeats it.
      const options = { client, secret: true, clock, pollMs, settleMs };
      const task = await lookUpTask(id, options).catch(() => undefined);
      if (task?.progress === "doubtful") doubtful.set(urn, doubtfulTask(id, task.taskStatus));
    }
  }
  return doubtful;
}

/** Which creates of this preview earlier runs left unfinished, and which voices with their names runs deleted. */
export async function createsIn(
  steps: readonly Step[],
  earlier: EarlierRuns,
  journal: Pick<Journal, "wasDeleted">,
  { account }: Pick<Service, "account">,
  stack: string,
) {
  const unfinished = new Map<string, OpenCreate>();
  const deletedVoices = new Set<string>();
  // A killed run may leave a thousand unfinished creates. So list the account only once for all of them.
  const looked = once(() => account.certainNow());
  for (const step of steps) {
    const { preferredName, targetModel, ...inputs } = step.newState?.inputs ?? {};
    if (kindOf(step) !== "voice" || !/create|replace/.test(step.op) || typeof preferredName !== "string") continue;
    const named = { preferredName, targetModel: String(targetModel), generated: true };
    for (const { voice } of await account.named(preferredName, named.targetModel))
      if (await journal.wasDeleted(voice)) deletedVoices.add(voice);
    const found = await earlier.create({ ...inputs, ...named }, stack);
    if (found !== undefined) unfinished.set(preferredName, { ...found, last: (await looked())(named) });
  }
  return { unfinished, deletedVoices };
}

/** The voices that the state holds and the list lacks because a run deleted them, so a refresh does not ask about them. */
export async function explainedLosses(
  { holders }: Pick<StackState, "holders">,
  listed: readonly ListedVoice[],
  journal: Pick<Journal, "wasDeleted">,
): Promise<Set<string>> {
  const present = new Set(listed.map(({ voice }) => voice));
  const explained = new Set<string>();
  for (const { voice } of holders) if (!present.has(voice) && (await journal.wasDeleted(voice))) explained.add(voice);
  return explained;
}
