import { keyQuestion } from "../../../rules/other-account";
import { QuestionError } from "../../../rules/question";
import type { VoiceOutputs } from "../../../rules/voice";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";

type Stated = Pick<Resource, "identity"> | undefined;

/** Throws a question if the voice may be in another account. */
export async function assertSameAccount(
  { service, evidence, settings, questions }: Operation,
  what: string,
  id: string,
  { account: recorded }: Pick<VoiceOutputs, "account">,
  resource?: Stated,
): Promise<void> {
  if (await evidence.isSameAccount(recorded)) return;
  const stack = await evidence.stackOf(id, resource);
  const question = keyQuestion(what, id, recorded, service.voiceFingerprint(), stack, settings.voiceBaseUrl);
  await questions.assertAccepted(question, `the key counts as one of the account ${recorded}`);
}

/** Throws before a new voice is paid for in an account that has none of the stack's: a key or address set by mistake. */
export async function assertAccountOfStack(operation: Operation, resource: Resource): Promise<void> {
  const { evidence } = operation;
  const accounts = await evidence.accountsOfStack(resource);
  try {
    for (const account of accounts.keys()) if (await evidence.isSameAccount(account)) return;
  } catch {
    return; // Without a service a preview goes on.
  }
  const [first] = accounts;
  if (first)
    await assertSameAccount(
      operation,
      "of this stack is not in this account",
      first[1],
      { account: first[0] },
      resource,
    );
}

/** Throws before a successor is paid for if the old voice could not be deleted with this key. */
export async function assertReplaceable(
  operation: Operation,
  id: string,
  state: VoiceOutputs,
  resource: Resource,
): Promise<void> {
  const { service } = operation;
  try {
    if (state.account === service.voiceFingerprint() || (await service.account.find(id)) !== undefined) return;
    await assertSameAccount(operation, "can't be replaced: it is not in this account", id, state, resource);
  } catch (error) {
    // Without a key or a service a preview goes on. An update will report it.
    if (error instanceof QuestionError) throw error;
  }
}
