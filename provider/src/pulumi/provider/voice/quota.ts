import { quotaFault } from "../../../rules/quota";
import type { CheckedVoice } from "../../../rules/voice";
import { describeThrown } from "../../../describe-thrown";
import { AuthenticationError } from "../../../errors";
import type { Props } from "../adapter";
import type { VoiceIdentity } from "../../program/identity";
import { providerProcess } from "../operation";
import { log, logOnce } from "../log";

/** Whether the account has room for one voice more. Costs the process's one walk of the list. */
export async function quotaFaultWith(inputs: Props, where: VoiceIdentity | undefined): Promise<string | undefined> {
  const { settings, service, quota } = providerProcess();
  if (settings.quotaCheck === "off" || inputs.adopt !== undefined || where === undefined) return undefined;
  let existing: number;
  try {
    existing = await service.account.countAtStart();
    const { preferredName, targetModel, nameVersion } = inputs as unknown as CheckedVoice;
    if (nameVersion !== undefined && (await service.account.named(preferredName, targetModel)).length > 0)
      return undefined;
  } catch (error) {
    if (error instanceof AuthenticationError && error.status !== undefined) throw error;
    log(`warning: the quota could not be checked: ${describeThrown(error).message}`);
    return undefined;
  }
  quota.wants(where.urn);
  const fault = quotaFault(existing, quota, settings.voiceQuota, settings.quotaCheck);
  if (fault === undefined || settings.quotaCheck === "error") return fault;
  logOnce("quota", `warning: ${fault}`);
  return undefined;
}
