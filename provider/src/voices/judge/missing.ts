import { type VoicePrice, voicesCost } from "../../rules/price";
import type { Question } from "../../rules/question";
import { accountDifference } from "../../rules/account-fingerprint";
import type { VoiceHolder } from "../holder";

/** From this number of voices on, the loss of all of them at once is more likely a mistake than a clean-up. */
const fewestVoices = 3;

export type RecordedVoice = Pick<VoiceHolder, "voice" | "account">;

export interface Loss {
  stack: string;
  /** How many voices the stack's state holds, without old copies of replaced resources. */
  held: number;
  /** How many of these the list does not show. */
  missing: number;
  /** Why the list does not prove that a voice is gone. */
  doubt?: string | undefined;
}

/**
 * How many voices a stack holds, and how many of these the list lacks. Each voice counts once, including those with
 * `retainOnDelete`. With `fingerprint`, only voices from the same address count, since a stack may use two services.
 * `explained`: missing voices that do not count, because it is known why the list lacks them.
 */
export function missingIn(
  holders: readonly Pick<VoiceHolder, "isOld" | "voice" | "account">[],
  listed: readonly { voice: string }[],
  fingerprint: string | undefined,
  explained: ReadonlySet<string> = new Set(),
): Pick<Loss, "held" | "missing"> {
  const isHere = (account: string | undefined) =>
    account === undefined ||
    fingerprint === undefined ||
    ["none", "key"].includes(accountDifference(account, fingerprint));
  const counted = holders.filter(({ isOld, account }) => !isOld && isHere(account));
  const present = new Set(listed.map(({ voice }) => voice));
  const all = counted.map(({ voice }) => voice).filter((voice) => present.has(voice) || !explained.has(voice));
  const held = new Set(all);
  return { held: held.size, missing: [...held].filter((voice) => !present.has(voice)).length };
}

/**
 * The question before the missing voices of a stack leave its state. Undefined if no voice is missing. Undefined too if
 * the voices certainly do not exist and their loss looks like a clean-up, not like a mistake.
 */
export function missingQuestion(
  { stack, held, missing, doubt }: Loss,
  { origin, ...price }: VoicePrice & Pick<Question, "origin">,
): Question | undefined {
  if (missing === 0) return undefined;
  const isMassLoss = held >= fewestVoices && missing >= held;
  if (doubt === undefined && !isMassLoss) return undefined;
  const named = stack === "" ? "this stack" : `the stack ${stack}`;
  const uncertain =
    doubt === undefined
      ? `All ${held} voices of ${named} are missing in the account. This is more likely another account, or a ` +
        "wrong response of the service, than a clean-up."
      : `The account's list lacks ${missing} of the ${held} voices of ${named}, and does not prove that they are gone: ${doubt}.`;
  return {
    ...{ kind: "missing", origin, stack, uncertain },
    yes:
      `they leave the state, and the next update creates them again: ${missing} ${missing === 1 ? "voice" : "voices"}, ` +
      voicesCost(missing, price),
    otherwise:
      "Nothing was changed. `npx --no-install pulumi-cloudvoice doctor` shows where the key and the address come from, and " +
      "how the list is read.",
  };
}

/** The question after a delete with an unclear response, if the list does not prove that the voice is gone. */
export function deletedQuestion(voice: string, stack: string, doubt: string, origin: string | undefined): Question {
  return {
    ...{ kind: "missing", origin, stack },
    uncertain: `The service does not say that the voice ${voice} is deleted, and its list does not prove it: ${doubt}.`,
    yes: "it counts as deleted, and leaves the state",
  };
}

/**
 * The question before a voice is created again: an earlier list of the operation had the voice, and the next list lacks
 * the voice.
 */
export function vanishedQuestion(
  voice: string,
  stack: string,
  doubt: string,
  { origin, ...price }: VoicePrice & Pick<Question, "origin">,
): Question {
  return {
    ...{ kind: "missing", origin, stack },
    uncertain: `The account's list had the voice ${voice} a moment ago, and lacks it now, which does not prove that it is gone: ${doubt}.`,
    yes: `it counts as deleted, and is created again where it is wanted: ${voicesCost(1, price)}`,
  };
}

/** The question if a voice is not in this account, and the state records another key or address for it. */
export function keyQuestion(
  what: string,
  voice: string,
  recorded: string,
  current: string,
  stack: string,
  origin: string | undefined,
): Question {
  const sameAddress = accountDifference(recorded, current) === "key";
  return {
    ...{ kind: "key", origin, stack },
    uncertain:
      `The voice ${voice} ${what}, and the state records another account (${recorded} then, ${current} now: ` +
      `${sameAddress ? "the same address, another key" : "another address"}). Nothing was changed.`,
    yes: "this key and address count as those of the same account, and voices that the account does not have count as deleted",
    otherwise: "Otherwise set the key and the address that the voice was created with.",
  };
}

/**
 * The recorded accounts that are this account under an older key. A new key changes the fingerprint, and only a refresh
 * renews the fingerprint in the state. A voice exists in one account only. So if this account lists a voice that the
 * state records for another fingerprint, both fingerprints belong to this account.
 */
export function accountsProven(
  held: readonly RecordedVoice[],
  listed: ReadonlySet<string>,
): ReadonlySet<string | undefined> {
  return new Set(held.filter(({ voice }) => listed.has(voice)).map(({ account }) => account));
}

/** A voice that this account lacks and that the state records for another account. */
export function recordedElsewhere(
  held: readonly RecordedVoice[],
  listed: ReadonlySet<string>,
  fingerprint: string,
): RecordedVoice | undefined {
  const ours = new Set([undefined, fingerprint, ...accountsProven(held, listed)]);
  return held.find(({ voice, account }) => !listed.has(voice) && !ours.has(account));
}
