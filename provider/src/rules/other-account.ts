import { addressIn } from "./account-fingerprint";
import type { Question } from "./question";

/** The voice is not in this account, and the state says that it was made with another key or address. */
export function keyQuestion(
  what: string,
  voice: string,
  recorded: string,
  current: string,
  stack: string,
  origin: string | undefined,
): Question {
  const sameAddress = addressIn(recorded) === addressIn(current);
  return {
    ...{ kind: "key", origin, stack },
    uncertain:
      `The voice ${voice} ${what}, and the state records another account (${recorded} then, ${current} now: ` +
      `${sameAddress ? "the same address, another key" : "another address"}). It was left as it is.`,
    yes: "this key counts as a new one of the same account, and voices that the account does not have count as deleted",
    otherwise: "Otherwise set the key and the address that the voice was created with.",
  };
}
