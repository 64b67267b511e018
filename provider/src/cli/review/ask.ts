import { decisionQuestion, imageQuestion } from "../../rules/pay-again";
import { isUnreadId } from "../../service/billed-requests";
import type { ListedVoice } from "../../service/voices/client";
import type { VoiceHolder } from "../../voices/holder";
import { unreadQuestion } from "../../voices/judge/delete";
import { missingIn, missingQuestion } from "../../voices/judge/missing";
import { createQuestion, voicesByHand } from "../../voices/judge/by-hand";
import { type Change, isBilled, kindOf, shownName } from "./change";
import type { ReviewFacts } from "./facts";
import type { Step } from "./preview";
import type { ReviewQuestions } from "./questions";

/** The questions of a refresh before missing voices leave the state. */
export function askAboutMissing(
  held: VoiceHolder[],
  listed: ListedVoice[],
  facts: ReviewFacts,
  questions: ReviewQuestions,
  stack: string,
): void {
  const loss = { stack, ...missingIn(held, listed, facts.fingerprint), doubt: facts.doubt };
  const question = missingQuestion(loss, { ...facts, origin: facts.voiceBaseUrl });
  if (question) questions.ask(question);
}

/** The question before deletes of voices that unreadable stacks may hold. */
export function askAboutUnread(
  deletedVoices: readonly string[],
  { foreign = [], unread = [], voiceBaseUrl: origin }: ReviewFacts,
  questions: ReviewQuestions,
  stack: string,
): void {
  const doubtful = deletedVoices.filter((voice) => foreign.includes(voice));
  if (doubtful.length > 0 && unread.length > 0) questions.ask(unreadQuestion(doubtful, unread, { stack, origin }));
}

/** The question before a new stack pays for voices that seem to exist: made by hand, and held by no stack. */
export function askAboutVoicesByHand(
  changes: readonly Change[],
  listed: readonly ListedVoice[],
  facts: ReviewFacts,
  questions: ReviewQuestions,
  stack: string,
): void {
  const { held, elsewhere } = facts;
  if (held === undefined) return;
  const unclaimed = listed.filter(({ voice }) => elsewhere?.has(voice) !== true);
  const madeByHand = changes
    .filter((change) => change.kind === "voice" && isBilled(change))
    .map(({ urn, name }) => ({ name, voices: voicesByHand(urn, unclaimed) }))
    .filter(({ voices }) => voices.length > 0);
  if (held.length >= madeByHand.length) return;
  const question = createQuestion(madeByHand, stack, { ...facts, origin: facts.voiceBaseUrl });
  if (question) questions.ask(question);
}

/** The questions of an update about tasks and answers that may be paid for already. */
export function askAboutTasks(steps: Step[], facts: ReviewFacts, questions: ReviewQuestions, stack: string): void {
  const { doubtfulTasks, imageBaseUrl, decisionBaseUrl } = facts;
  for (const step of steps) {
    const { urn, op, oldState, newState } = step;
    const inputs = newState?.inputs ?? oldState?.inputs ?? {};
    const about = { name: shownName(urn), stack, inputs, prices: facts };
    const kind = kindOf(step);
    const stays = op === "same" || op === "update";
    const task = doubtfulTasks?.get(urn);
    if (kind === "image" && stays && task)
      questions.ask(
        imageQuestion(task.taskId, task.said, { ...about, origin: imageBaseUrl, urn: oldState?.urn ?? urn }),
      );
    if (kind === "decision" && stays && isUnreadId(oldState?.id ?? ""))
      questions.ask(decisionQuestion(oldState?.id ?? "", { ...about, origin: decisionBaseUrl }));
  }
}
