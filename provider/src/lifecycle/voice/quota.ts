import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, RateLimitError } from "../../errors";
import { counted } from "../../rules/visible";
import { accountId, quotaCode } from "../../rules/plan-line";
import type { Settings } from "../../rules/settings";
import { type CheckedVoice, hasGeneratedName } from "../../rules/voice";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { candidates } from "./candidates";
import { existingVoice } from "./create";
import type { VoiceCounts } from "./counts";

/**
 * Why the account or the stack has no room for this voice. Undefined if both have room, or if the setting `quotaCheck`
 * is not `error`.
 */
export async function noRoomProblem(
  operation: Operation,
  inputs: Partial<CheckedVoice>,
  resource: Resource,
): Promise<string | undefined> {
  const { settings, quota, log } = operation;
  if (settings.quotaCheck === "off") return undefined;
  const problem = (await accountProblem(operation, inputs, resource)) ?? stackProblem(settings, quota);
  if (problem === undefined || settings.quotaCheck === "error") return problem;
  log.warnOnce("quota", problem);
  return undefined;
}

async function accountProblem(
  operation: Operation,
  inputs: Partial<CheckedVoice>,
  resource: Resource,
): Promise<string | undefined> {
  const { quota, service, settings, log, plan } = operation;
  if (inputs.adopt !== undefined) return undefined;
  try {
    const now = await quota.now();
    if (settings.quotaCheck === "error") {
      const account = accountId(service.voiceFingerprint());
      plan.write(resource, { quota: { account, now, limit: settings.voiceQuota } });
    }
    if (await willUseExisting(operation, inputs as CheckedVoice, resource)) return undefined;
    quota.create(resource);
    // A review counts the steps of the whole preview itself.
    if (plan.isOn) return undefined;
    return accountTooSmall(now, quota.added, settings.voiceQuota);
  } catch (error) {
    const isResponse = CloudVoiceError.is(error) && error.status !== undefined;
    // The update will meet this error too, e.g. that of a wrong key.
    if (isResponse && !error.isTransient && !(error instanceof RateLimitError)) throw error;
    log.warn(`the quota could not be checked: ${describeThrown(error).message}`);
    return undefined;
  }
}

/**
 * Whether a create will use an existing voice instead of paying. In a review, decides as the create does, with its
 * waits, and writes the voice, or the question about it, to the plan. Otherwise decides by the first list.
 */
async function willUseExisting(operation: Operation, inputs: CheckedVoice, resource: Resource): Promise<boolean> {
  const { notes, service, plan } = operation;
  if (notes.key(inputs) === undefined) return false;
  if (plan.isOn) {
    const row = await plan.noting(resource, () => existingVoice(operation, inputs, resource));
    if (row !== undefined) plan.write(resource, { takes: row.voice });
    return row !== undefined;
  }
  const list = await service.account.atStart();
  const note = await notes.of(inputs);
  if (note !== undefined && candidates(list, inputs, note).length > 0) return true;
  return hasGeneratedName(inputs) && candidates(list, inputs).length > 0;
}

export function accountTooSmall(
  now: number,
  { creates, atPeak }: VoiceCounts["added"],
  limit: number,
): string | undefined {
  if (now + atPeak <= limit) return undefined;
  return (
    `the account is too small for this update: it has ${counted(now, "voice")}. The resources checked so far create ${creates}, ` +
    `and the update needs ${now + atPeak} at its peak; the quota is ${limit}. ` +
    "Delete voices (`npx --no-install pulumi-cloudvoice voices` lists them, `npx --no-install pulumi-cloudvoice delete` deletes them), " +
    "let replacements delete first with deleteBeforeReplace, " +
    "or use another account. If the account has another quota, set cloudvoice:voiceQuota; " +
    "cloudvoice:quotaCheck turns this check into a warning (warn) or off (off) " +
    quotaCode
  );
}

/** The problem if the program has more voices than `stackQuota`. */
export function stackProblem(
  { stackQuota }: Pick<Settings, "stackQuota">,
  { toldOf }: VoiceCounts,
): string | undefined {
  if (stackQuota === undefined || toldOf <= stackQuota) return undefined;
  return (
    `the program has more voices than the stack may have: the resources checked so far are ${counted(toldOf, "voice")}, and ` +
    `cloudvoice:stackQuota is ${stackQuota}. Remove voices from the program, or raise cloudvoice:stackQuota ${quotaCode}`
  );
}
