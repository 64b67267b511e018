import { hasGeneratedId } from "./naming";
import { imageCost, moneyText, priceOf, type Prices, type VoicePrice, voicesCost } from "./price";
import type { Question } from "./question";
import { dayOf, isoTime } from "./time";
import type { ListedVoice } from "./voice";
import { shellQuoted, textsOf } from "./visible";
import { secretText } from "./rights";

/* The questions to a person about voices. */

/** Whom a question is about. `account`: the fingerprint of the account. `stack`: `project/stack`. */
export type Whose = Pick<Question, "account" | "stack">;

type Listed = Pick<ListedVoice, "voice" | "createdAt">;

const createdOn = ({ createdAt }: Listed) => (dayOf(createdAt) === "" ? "" : `, created on ${dayOf(createdAt)},`);

/** Before a create uses a voice that may be another resource's: it has no note, or a state had it. */
export function takeQuestion(row: Listed, whose: Whose): Question {
  const whyItsOwn = hasGeneratedId(row.voice) ? "whose name was generated" : "which may have been created";
  return {
    ...{ kind: "take", ...whose },
    uncertain:
      `The account has the voice ${row.voice}${createdOn(row)} ${whyItsOwn} for this resource and its content. ` +
      "No state shows that this resource owns it: the state or the journal was lost, this is a `--replace`, or " +
      "another stack uses it, and has or had these names.",
    yes: "this stack uses such voices as its own, at no cost, and deletes them when it no longer needs them",
    otherwise: "If another stack uses the voice, set cloudvoice:namespace. If you want another voice, change triggers.",
  };
}

/** Before a resource adopts a voice with a generated name. The id is for this voice only, and allows no delete. */
export function adoptQuestion(voice: string, whose: Whose): Question {
  return {
    ...{ kind: "take", ...whose, request: voice },
    uncertain:
      `The voice ${voice} of the input adopt has a generated name: a stack created it. A replacement or destroy in ` +
      "that stack deletes the voice, whoever else uses it.",
    yes: "this resource uses the voice too, at no cost, and never deletes it",
    otherwise: "Better read the output of that stack, or protect the voice's resource there.",
  };
}

/** Before a create is sent again, although it may have made a voice already. */
export function payAgainQuestion(
  name: string,
  sentAtMs: number,
  doubt: string,
  { voicePrice, currency, ...whose }: Whose & VoicePrice,
): Question {
  return {
    ...{ kind: "pay-again", ...whose, request: name },
    uncertain:
      `At ${isoTime(sentAtMs)} this stack sent a create of the voice ${name}, which may have been billed. The account's ` +
      `list does not show that voice (${doubt}).`,
    yes: `it is created again, and paid for: ${voicesCost(1, { voicePrice, currency })}`,
    otherwise: "If you know which voice the create made, set adopt to that voice.",
  };
}

/** Before a voice that the list lacks leaves the state. `doubt`: why the voice may exist nevertheless. */
export function missingQuestion(
  voice: string,
  doubt: string,
  { voicePrice, currency, ...whose }: Whose & VoicePrice,
): Question {
  return {
    ...{ kind: "missing", ...whose },
    uncertain: `The account's list lacks the voice ${voice} of this stack, but is no proof of a deletion: ${doubt}.`,
    yes:
      "voices that the list lacks count as deleted and leave the state, and the next update creates each again for " +
      voicesCost(1, { voicePrice, currency }),
    otherwise:
      "Nothing was changed, so you can try again later. `npx --no-install pulumi-cloudvoice doctor` shows where key " +
      "and address come from, and how the list is read.",
  };
}

/** If a voice is not in this account, and the state records another account. `recorded`, `current`: fingerprints. */
export function accountQuestion(voice: string, recorded: string, current: string, stack: string): Question {
  const [was = "", is = ""] = [recorded, current].map((fingerprint) => fingerprint.split(" ")[0]);
  return {
    ...{ kind: "account", account: current, stack },
    uncertain:
      was === is
        ? `The voice ${voice} is not in this account, and the API key is not the one of the state (the address, ${is}, is the same).`
        : `The voice ${voice} is not in this account, and the address is ${is}, while the state has voices of ${was}.`,
    remedy:
      was === is
        ? "Probably the key is another account's: set the key that the voices were created with."
        : `Probably the address is wrong: set ${was}, and its key.`,
    yes: "this is the same account, and voices that it lacks count as deleted",
  };
}

/* Questions before paying for something that an earlier request may have paid for. */

/** The facts for a question about a request. `urn`: the resource whose replacement would send the request again. */
export interface Asked {
  name: string;
  /** The fingerprint of the account. */
  account: string;
  stack: string;
  urn?: string | undefined;
  inputs: object;
  prices: Prices;
}

export function doubtfulTask(taskId: string, taskStatus: string, message = ""): string {
  const reason = message === "" ? "" : `: ${message.replace(/[.\s]{1,9}$/, "")}`;
  return (
    `the service reports the image task ${taskId} as ${taskStatus}${reason}. ` +
    "It forgets tasks after a day, and a gateway may hide one."
  );
}

/**
 * `taskReport`: a sentence from {@link doubtfulTask}, or undefined if the response to the submission was unreadable.
 */
export function imageQuestion(
  taskId: string,
  taskReport: string | undefined,
  { name, account, stack, urn, inputs, prices }: Asked,
): Question {
  const cost = imageCost(priceOf("image", { ...inputs }, prices), prices.currency);
  const isUnread = taskReport === undefined;
  const uncertain = isUnread
    ? `${name}: its submission was answered with success, and the response was not understood, so a task may have been paid for.`
    : `${name}: ${taskReport} The task is kept, and no new task is submitted until you decide.`;
  const otherwise = textsOf([
    urn !== undefined && `\`pulumi up --replace ${shellQuoted(urn)}\` does the same.`,
    isUnread && "If you know the id of the task, set adoptTask to it: that is free.",
  ]).join(" ");
  return {
    ...{ kind: "pay-again", account, stack, request: taskId, uncertain },
    yes: `another task is submitted, and paid ${cost}`,
    ...(otherwise !== "" && { otherwise }),
  };
}

export function askAgainQuestion(id: string, { name, account, stack, inputs, prices }: Asked): Question {
  const isKnown = !JSON.stringify(inputs).includes(secretText);
  const price = isKnown ? priceOf("decision", { ...inputs }, prices) : undefined;
  const cost = price === undefined ? "at a price that is not known" : `for about ${moneyText(price, prices.currency)}`;
  return {
    ...{ kind: "pay-again", account, stack, request: id },
    uncertain: `${name}: the service answered with success, and the answers were not understood, so they may have been paid for.`,
    yes: `the questions are asked again, and paid ${cost}`,
  };
}

/** The question about a request that is known only by a note that proves nothing. */
export function ofUnprovenNote(name: string, question: Question): Question {
  const uncertain =
    `${name}: the journal's note of this request proves nothing: it can't be read, somebody changed it, or Git tracks ` +
    "it. So the request may have been paid for.";
  return { ...question, uncertain };
}
