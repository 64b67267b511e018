import { formerName, type NamingFacts } from "../../../rules/naming";
import type { CheckedVoice } from "../../../rules/voice";
import type { Operation } from "../operation";

/**
 * The name by the formula of an earlier release, if a voice with it exists or its create may have been sent: then it is
 * taken up, and not paid for again.
 */
export async function nameLeftBehind(
  { service, evidence }: Pick<Operation, "service" | "evidence">,
  inputs: Partial<CheckedVoice>,
  facts: NamingFacts,
): Promise<ReturnType<typeof formerName>> {
  const name = formerName({ ...inputs }, facts);
  if (name === undefined) return undefined;
  const former = { ...inputs, ...name } as CheckedVoice;
  if ((await evidence.unfinishedSince(former)) !== undefined) return name;
  const voices = await service.account.named(name.preferredName, former.targetModel);
  return voices.length > 0 ? name : undefined;
}
