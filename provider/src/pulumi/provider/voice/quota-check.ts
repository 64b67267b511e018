import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError, RateLimitError } from "../../../errors";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import { type Counts, Holdings, quotaProblem } from "../../../voices/judge/voice-count";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { questionAtCreate, verdictAtCreate } from "./existing";

/**
 * Why the account or the stack has no room for this voice. Undefined if both have room, or if the setting `quotaCheck`
 * is not `error`. Also records which voice the engine deletes before this create.
 */
export async function noRoomProblem(
  operation: Operation,
  inputs: Partial<CheckedVoice>,
  resource: Resource,
): Promise<string | undefined> {
  const { settings, service, quota, calls } = operation;
  const { quotaCheck } = settings;
  const urn = resource.identity?.urn;
  if (urn === undefined) return undefined;
  const { held, unread } = await heldAtStart(operation);
  const old = held.voiceByUrn.get(urn);
  let takes: string | undefined = inputs.adopt;
  let inAccount: number | undefined;
  let missing: string | undefined;
  if (takes === undefined) {
    try {
      inAccount = await service.account.countAtStart();
      takes = await voiceToTake(operation, inputs, resource);
      if (old !== undefined && !(await service.account.find(old))) missing = old;
    } catch (error) {
      if (quotaCheck !== "off") warnOfUnchecked(operation, error);
    }
  }
  // Workaround: for `--replace` the engine does not pass old inputs, so the old voice is looked up in the saved state.
  const goesFirst = resource.options.deleteBeforeReplace && old !== undefined;
  if (goesFirst && takes !== old) calls.expectDelete(old, resource);
  if (goesFirst && takes === undefined) calls.expectPaidReplacement(old);
  if (quotaCheck === "off") return undefined;
  quota.add({ urn, creates: takes === undefined, takes, leaves: goesFirst ? "first" : undefined }, missing);
  const { account, stack } = quota.counts(inAccount ?? 0, held);
  const growsStack = takes === undefined || !held.voices.has(takes);
  return limitProblem(operation, {
    account: inAccount !== undefined && takes === undefined ? account : undefined,
    stack: growsStack ? stack : undefined,
    unread,
  });
}

/**
 * The voices of the stack before this operation. If the state can't be read (`unread`: why), the account's quota is
 * checked as if the stack had no voices.
 */
async function heldAtStart({ states, quota }: Operation): Promise<{ held: Holdings; unread?: string }> {
  try {
    return { held: quota.holdings((await states.ownAtStart()).holders) };
  } catch (error) {
    return { held: new Holdings([]), unread: describeThrown(error).message };
  }
}

/**
 * Why the account or the stack has no room for so many voices. Undefined also if the problem is only a warning
 * (`quotaCheck`). A limit is not checked if its counts are undefined.
 */
function limitProblem(
  { settings, log }: Pick<Operation, "settings" | "log">,
  { account, stack, unread }: { account: Counts | undefined; stack: Counts | undefined; unread?: string | undefined },
): string | undefined {
  const { quotaCheck, stackQuota, voiceQuota } = settings;
  const ofStack = stackQuota === undefined ? undefined : stack;
  const problem =
    (account && quotaProblem("account", account, voiceQuota, quotaCheck)) ??
    (ofStack && unread === undefined ? quotaProblem("stack", ofStack, Number(stackQuota), quotaCheck) : undefined);
  if (ofStack && unread !== undefined) log.warnOnce("stack quota", `the stack's quota could not be checked: ${unread}`);
  if (problem === undefined || quotaCheck === "error") return problem;
  log.warnOnce("quota", problem);
  return undefined;
}

/** Warns that the voices could not be listed. Throws an error that the update will meet too, e.g. of a wrong key. */
function warnOfUnchecked({ log }: Pick<Operation, "log">, error: unknown): void {
  const isResponse = CloudVoiceError.is(error) && error.status !== undefined;
  if (isResponse && !error.isTransient && !(error instanceof RateLimitError)) throw error;
  log.warn(`the quota could not be checked: ${describeThrown(error).message}`);
}

/** The existing voice that the create will reuse. Warns if the create would ask a question or would fail. */
async function voiceToTake(
  operation: Operation,
  inputs: Partial<CheckedVoice>,
  resource: Resource,
): Promise<string | undefined> {
  const { service, log, questions } = operation;
  if (!hasGeneratedName(inputs)) return undefined;
  // The name is generated, so all values that it is made from are known.
  const voice = inputs as CheckedVoice;
  const found = await service.account.named(voice.preferredName, voice.targetModel);
  const verdict = await verdictAtCreate(operation, voice, resource, found);
  // The create itself logs the reuse.
  if (verdict.action === "reuse") return verdict.voice.voice;
  verdict.lines.forEach(log.line);
  if (verdict.action === "none") {
    const question = await questionAtCreate(operation, voice, resource, found);
    if (question) log.warn(await questions.textOf(question));
    return undefined;
  }
  const why = verdict.action === "ask" ? await questions.textOf(verdict.question) : verdict.reason;
  log.warnOnce("rejected voices", `the update will fail: ${why}`);
  return undefined;
}
