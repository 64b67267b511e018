import { describeThrown } from "../../../describe-thrown";
import { AuthenticationError } from "../../../errors";
import { quotaProblem } from "../../../rules/quota";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import type { ResourceIdentity } from "../../shared/identity";
import type { Props } from "../lifecycle";
import type { Operation } from "../operation";
import { resolveExisting } from "./existing";

/**
 * Why the account has no room for this voice; undefined when it has. The operation lists the account's voices once
 * for all checks.
 */
export async function noRoomProblem(
  operation: Operation,
  inputs: Props,
  identity: ResourceIdentity | undefined,
): Promise<string | undefined> {
  const { settings, service, quota, log } = operation;
  if (settings.quotaCheck === "off" || inputs.adopt !== undefined || identity === undefined) return undefined;
  let existing: number;
  try {
    existing = await service.account.countAtStart();
    const voice = inputs as unknown as CheckedVoice;
    const { preferredName, targetModel } = voice;
    const found = hasGeneratedName(inputs) ? await service.account.named(preferredName, targetModel) : [];
    if (found.length > 0) {
      const { reuse, lines } = await resolveExisting(operation, voice, identity.urn, found);
      // The create reuses a voice that is there. Its own log line says so.
      if (reuse) return undefined;
      lines.forEach(log.line);
    }
  } catch (error) {
    if (error instanceof AuthenticationError && error.status !== undefined) throw error;
    log.warn(`the quota could not be checked: ${describeThrown(error).message}`);
    return undefined;
  }
  quota.wants(identity.urn);
  const problem = quotaProblem(existing, quota, settings.voiceQuota, settings.quotaCheck);
  if (problem === undefined || settings.quotaCheck === "error") return problem;
  log.warnOnce("quota", problem);
  return undefined;
}
