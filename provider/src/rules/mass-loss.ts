import type { VoiceHolder } from "./voice-holder";

/** From this number of voices on, the loss of all of them at once is more likely a mistake than a clean-up. */
const fewestVoices = 3;

export interface Loss {
  stack: string;
  /** How many voices the stack's state holds, without old copies of replaced ones. */
  held: number;
  /** How many of these the account does not have. */
  missing: number;
  accept: "some" | "all";
}

/** The voices that count: each once, also those that stay when their resources go. */
export function countedVoices(holders: readonly Pick<VoiceHolder, "isOld" | "voice">[]): Set<string> {
  return new Set(holders.filter(({ isOld }) => !isOld).map(({ voice }) => voice));
}

/** Why a refresh must not remove the missing voices from the state; undefined if it may. */
export function massLossProblem({ stack, held, missing, accept }: Loss): string | undefined {
  if (accept === "all" || held < fewestVoices || missing < held) return undefined;
  return (
    `all ${held} voices of the stack ${stack} are missing in the account. This is more likely another account, or a ` +
    "wrong response of the service, than a clean-up: so a refresh fails and leaves the state as it is. Check the key and " +
    "the address (`npx pulumi-cloudvoice doctor`). If somebody deleted the voices, set CLOUDVOICE_ACCEPT_MISSING=all " +
    "(or cloudvoice:acceptMissing) for one `pulumi up --refresh`, which creates them again and pays for each"
  );
}
