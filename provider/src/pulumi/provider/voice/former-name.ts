import { formerName, type NamingFacts } from "../../../rules/naming";
import type { CheckedVoice } from "../../../rules/voice";
import type { Resource } from "../lifecycle";
import { stackOfUrn } from "../../../stacks/names";
import type { Operation } from "../operation";

/**
 * The name by the formula of an earlier release, if a voice with it exists or its create may have been sent. That voice
 * is reused, and not paid for again.
 */
export async function nameLeftBehind(
  { service, facts }: Pick<Operation, "service" | "facts">,
  inputs: Partial<CheckedVoice>,
  naming: NamingFacts,
  resource: Resource,
): Promise<ReturnType<typeof formerName>> {
  const name = formerName({ ...inputs }, naming);
  if (name === undefined) return undefined;
  const former = { ...inputs, ...name } as CheckedVoice;
  if ((await facts.unfinished.find(former, stackOfUrn(resource.identity?.urn))) !== undefined) return name;
  const voices = await service.account.named(name.preferredName, former.targetModel);
  return voices.length > 0 ? name : undefined;
}
