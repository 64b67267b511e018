import { CloudVoiceError } from "../../../errors";
import type { Props } from "../lifecycle";
import type { Operation } from "../operation";

/** The voice is missing here, and the state says that it was created in another account or with another key. */
export class OtherAccountError extends CloudVoiceError {
  constructor(what: string, voice: string, recorded: unknown, current: string) {
    const sameAddress = String(recorded).split("-")[0] === current.split("-")[0];
    super(
      `the voice ${voice} ${what}, and the state records another account (${String(recorded)} then, ${current} now: ` +
        `${sameAddress ? "the same address, another key" : "another address"}). ` +
        "It was left as it is. Set the key and address that the voice was created with. " +
        "If the key is a new one of the same account and the voice was really deleted, " +
        "remove the resource from the state with `pulumi state delete`",
    );
  }
}

/** Throws before a successor is paid for if the old voice could not be deleted with this key. */
export async function assertReplaceable({ service }: Operation, id: string, { account }: Props): Promise<void> {
  let current: string;
  let found: unknown;
  try {
    current = service.voiceFingerprint();
    found = account === current || (await service.account.find(id));
  } catch {
    // Without a key or a service a preview goes on. An update will report it.
    return;
  }
  if (!found) throw new OtherAccountError("can't be replaced: it is not in this account", id, account, current);
}
