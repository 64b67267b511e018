import { CloudVoiceError } from "../../../errors";
import type { Props } from "../lifecycle";
import type { Operation } from "../operation";
import { savedHolders } from "./existing";

/** The voice is missing here, and the state says that it was created in another account or with another key. */
export class OtherAccountError extends CloudVoiceError {
  constructor(what: string, voice: string, recorded: unknown, current: string) {
    const sameAddress = String(recorded).split("-")[0] === current.split("-")[0];
    super(
      `the voice ${voice} ${what}, and the state records another account (${String(recorded)} then, ${current} now: ` +
        `${sameAddress ? "the same address, another key" : "another address"}). ` +
        "It was left as it is. Set the key and address that the voice was created with. " +
        "If this key is a new one of the same account, and the voice was really deleted, " +
        `confirm it: run this once with CLOUDVOICE_ROTATED_FROM=${String(recorded)}`,
    );
  }
}

/**
 * Whether this key belongs to the account with the recorded fingerprint. A rotation changes the fingerprint, and only a
 * refresh renews it in the state. A voice exists in one account only. So one that the state records for the same
 * account, and that this account has, is the proof.
 */
export async function isSameAccount(operation: Operation, { account: recorded }: Props): Promise<boolean> {
  const { service, settings } = operation;
  if (recorded === service.voiceFingerprint() || recorded === settings.rotatedFrom) return true;
  const holders = (await savedHolders(operation)) ?? [];
  for (const { voice, account } of holders) {
    if (account !== undefined && account === recorded && (await service.account.find(voice))) return true;
  }
  return false;
}

/** Throws before a successor is paid for if the old voice could not be deleted with this key. */
export async function assertReplaceable(operation: Operation, id: string, state: Props): Promise<void> {
  const { service } = operation;
  let current: string;
  let isOurs: boolean;
  try {
    current = service.voiceFingerprint();
    const isRecorded = state.account === current;
    isOurs = isRecorded || (await service.account.find(id)) !== undefined || (await isSameAccount(operation, state));
  } catch {
    // Without a key or a service a preview goes on. An update will report it.
    return;
  }
  if (!isOurs) throw new OtherAccountError("can't be replaced: it is not in this account", id, state.account, current);
}
