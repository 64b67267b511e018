import { CloudVoiceError } from "../../../errors";
import type { VoiceOutputs } from "../../../rules/voice";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";

/** The voice is missing here, and the state says that it was created in another account or with another key. */
export class OtherAccountError extends CloudVoiceError {
  constructor(what: string, voice: string, recorded: string, current: string) {
    const sameAddress = recorded.split("-")[0] === current.split("-")[0];
    super(
      `the voice ${voice} ${what}, and the state records another account (${recorded} then, ${current} now: ` +
        `${sameAddress ? "the same address, another key" : "another address"}). ` +
        "It was left as it is. Set the key and address that the voice was created with. " +
        "If this key is a new one of the same account, and the voice was really deleted, " +
        `confirm it: run this once with CLOUDVOICE_ROTATED_FROM=${recorded}`,
    );
  }
}

export async function assertSameAccount(
  { service, evidence }: Operation,
  what: string,
  id: string,
  { account: recorded }: VoiceOutputs,
): Promise<void> {
  if (!(await evidence.isSameAccount(recorded)))
    throw new OtherAccountError(what, id, recorded, service.voiceFingerprint());
}

/** Throws before a new voice is paid for in an account that has none of the stack's: a key or address set by mistake. */
export async function assertAccountOfStack({ evidence, service }: Operation, resource: Resource): Promise<void> {
  const accounts = await evidence.accountsOfStack(resource);
  try {
    for (const account of accounts.keys()) if (await evidence.isSameAccount(account)) return;
  } catch {
    return; // Without a service a preview goes on.
  }
  for (const [account, voice] of accounts)
    throw new OtherAccountError("of this stack is not in this account", voice, account, service.voiceFingerprint());
}

/** Throws before a successor is paid for if the old voice could not be deleted with this key. */
export async function assertReplaceable(operation: Operation, id: string, state: VoiceOutputs): Promise<void> {
  const { service } = operation;
  try {
    if (state.account === service.voiceFingerprint() || (await service.account.find(id)) !== undefined) return;
    await assertSameAccount(operation, "can't be replaced: it is not in this account", id, state);
  } catch (error) {
    // Without a key or a service a preview goes on. An update will report it.
    if (error instanceof OtherAccountError) throw error;
  }
}
