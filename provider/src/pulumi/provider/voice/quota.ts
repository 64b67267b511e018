import { describeThrown } from "../../../describe-thrown";
import { AuthenticationError } from "../../../errors";
import { quotaProblem, stackQuotaProblem } from "../../../rules/quota";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { judgeExisting } from "./create";

/**
 * Why the account or the stack has no room for this voice; undefined when they have. The operation lists the account's
 * voices once for all checks.
 */
export async function noRoomProblem(
  operation: Operation,
  inputs: Partial<CheckedVoice>,
  resource: Resource,
): Promise<string | undefined> {
  const { settings, log } = operation;
  const urn = resource.identity?.urn;
  if (settings.quotaCheck === "off" || urn === undefined) return undefined;
  const { takes, noRoom } = await planVoice(operation, inputs, resource, urn);
  const problem = noRoom ?? (await stackProblem(operation, takes, urn));
  if (problem === undefined || settings.quotaCheck === "error") return problem;
  log.warnOnce("quota", problem);
  return undefined;
}

/** The existing voice that the create will use, or why the account has no room for a new one. */
async function planVoice(
  operation: Operation,
  inputs: Partial<CheckedVoice>,
  resource: Resource,
  urn: string,
): Promise<{ takes?: string; noRoom?: string | undefined }> {
  const { settings, service, quota, log } = operation;
  if (inputs.adopt !== undefined) return { takes: inputs.adopt };
  let existing: number;
  try {
    existing = await service.account.countAtStart();
    // A name was generated, so all that it is made from is known.
    const voice = inputs as CheckedVoice;
    const { preferredName, targetModel } = voice;
    const found = hasGeneratedName(inputs) ? await service.account.named(preferredName, targetModel) : [];
    if (found.length > 0) {
      const { reuse, lines, reject } = await judgeExisting(operation, voice, resource, found);
      // The create reuses a voice that is there. Its own log line says so.
      if (reuse) return { takes: reuse.voice };
      lines.forEach(log.line);
      if (reject !== undefined) log.warnOnce("rejected voices", `the update will fail: ${reject}`);
    }
  } catch (error) {
    if (error instanceof AuthenticationError && error.status !== undefined) throw error;
    log.warn(`the quota could not be checked: ${describeThrown(error).message}`);
    return {};
  }
  quota.account.wants(urn);
  return { noRoom: quotaProblem(existing, quota.account, settings.voiceQuota, settings.quotaCheck) };
}

/** Why the stack may not hold one more voice. A voice that it holds already is not one more. */
async function stackProblem(
  { settings: { stackQuota, quotaCheck }, states, quota, log }: Operation,
  takes: string | undefined,
  urn: string,
): Promise<string | undefined> {
  if (stackQuota === undefined) return undefined;
  try {
    const held = new Set((await states.own()).holders.map(({ voice }) => voice));
    if (takes !== undefined && held.has(takes)) return undefined;
    quota.stack.wants(urn);
    return stackQuotaProblem(held.size, quota.stack, stackQuota, quotaCheck);
  } catch (error) {
    log.warnOnce("stack quota", `the stack's quota could not be checked: ${describeThrown(error).message}`);
    return undefined;
  }
}
