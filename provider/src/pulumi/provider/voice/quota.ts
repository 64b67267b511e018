import { describeThrown } from "../../../describe-thrown";
import { AuthenticationError } from "../../../errors";
import { quotaProblem } from "../../../rules/quota";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import type { VoiceIdentity } from "../../shared/identity";
import type { Props } from "../lifecycle";
import type { Operation } from "../operation";

/**
 * Why the account has no room for this voice; undefined when it has. The operation lists the account's voices once
 * for all checks.
 */
export async function noRoomProblem(
  { settings, service, quota, log }: Operation,
  inputs: Props,
  identity: VoiceIdentity | undefined,
): Promise<string | undefined> {
  if (settings.quotaCheck === "off" || inputs.adopt !== undefined || identity === undefined) return undefined;
  let existing: number;
  try {
    existing = await service.account.countAtStart();
    const { preferredName, targetModel } = inputs as unknown as CheckedVoice;
    // The create will reuse a voice that is there.
    const found = hasGeneratedName(inputs) ? await service.account.named(preferredName, targetModel) : [];
    if (found.length > 0) return undefined;
  } catch (error) {
    if (error instanceof AuthenticationError && error.status !== undefined) throw error;
    log.warn(`the quota could not be checked: ${describeThrown(error).message}`);
    return undefined;
  }
  quota.wants(identity.urn);
  const problem = quotaProblem(existing, quota, settings.voiceQuota, settings.quotaCheck);
  if (problem === undefined || settings.quotaCheck === "error") return problem;
  log.once("quota", `warning: ${problem}`);
  return undefined;
}
