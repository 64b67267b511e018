import { quotaFault } from "../decide/quota";
import type { CheckedVoice } from "../decide/voice";
import { describeThrown } from "../describe-thrown";
import { AuthenticationError } from "../errors";
import type { Props } from "./dynamic-provider";
import type { VoiceIdentity } from "./identity";
import { providerProcess } from "./provider-process";
import { tell, tellFirst } from "./tell";

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
    tell(`warning: the quota could not be checked: ${describeThrown(error).message}`);
    return undefined;
  }
  quota.wants(where.urn);
  const fault = quotaFault(existing, quota, settings.voiceQuota, settings.quotaCheck);
  if (fault === undefined || settings.quotaCheck === "error") return fault;
  tellFirst("quota", `warning: ${fault}`);
  return undefined;
}
