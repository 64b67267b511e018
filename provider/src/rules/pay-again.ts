import { shellQuoted } from "../shell-quoted";
import { textsOf } from "./first-of";
import { imageCost, moneyText, priceOf, type Prices } from "./price";
import type { Question } from "./question";
import { secretText } from "./rights";

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
