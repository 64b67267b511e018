import { formerName, type NamingFacts } from "../../../rules/naming";
import type { CheckedVoice } from "../../../rules/voice";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { stackOfUrn } from "../questions";

/**
 * The name by the formula of an earlier release, if a voice with it exists or its create may have been sent: then it is
 * taken up, and not paid for again.
 */
export async function nameLeftBehind(
  { service, evidence }: Pick<Operation, "service" | "evidence">,
  inputs: Partial<CheckedVoice>,
  facts: NamingFacts,
  resource: Resource,
): Promise<ReturnType<typeof formerName>> {
  const name = formerName({ ...inputs }, facts);
  if (name === undefined) return undefined;
  const former = { ...inputs, ...name } as CheckedVoice;
  if ((await evidence.unfinished.find(former, stackOfUrn(resource.identity?.urn))) !== undefined) return name;
  const voices = await service.account.named(name.preferredName, former.targetModel);
  return voices.length > 0 ? name : undefined;
}
