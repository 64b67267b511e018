import { decisionQuestion, imageQuestion } from "../../rules/pay-again";
import { acceptVariable, type Question, questionIds } from "../../rules/question";
import { isUnreadId } from "../../service/billed-requests";
import type { ListedVoice } from "../../service/voices/client";
import type { VoiceHolder } from "../../voices/holder";
import { createQuestion, voicesByHand } from "../../voices/judge/by-hand";
import { unreadQuestion } from "../../voices/judge/delete";
import { keyQuestion, missingIn, missingQuestion } from "../../voices/judge/missing";
import { type Change, isBilled, kindOf, shownName } from "./change";
import type { Asking, ReviewFacts } from "./facts";
import type { Step } from "./step";

/** A question as a review shows it. `--json` prints it as it is. */
export interface ShownQuestion extends Pick<Question, "kind" | "uncertain" | "yes"> {
  id: string;
}

/** The questions that an update will ask. Their ids are computed, and never copied from a program's output. */
export class ReviewQuestions {
  private readonly open = new Map<string, ShownQuestion>();

  /** `stack`: the project and the stack, `project/stack`. */
  constructor(
    private readonly asking: Asking = { backend: "", accepted: new Set() },
    private readonly nowMs: number,
    readonly stack: string,
  ) {}

  /** Records a question, unless a person has said yes to it. Returns whether a person has said yes. */
  ask(question: Question): boolean {
    const { backend, accepted } = this.asking;
    const ids = questionIds(question, backend, this.nowMs);
    if (ids.some((id) => accepted.has(id))) return true;
    const { kind, uncertain, yes } = question;
    if (!this.open.has(ids[0])) this.open.set(ids[0], { id: ids[0], kind, uncertain, yes });
    return false;
  }

  shown(): ShownQuestion[] {
    return [...this.open.values()];
  }

  /** Returns a function that asks about a missing voice whether the account is the same, with another key. */
  askAboutKey({ fingerprint = "", voiceBaseUrl }: AccountFacts) {
    return (voice: string, recorded: string) =>
      this.ask(keyQuestion("is not in this account", voice, recorded, fingerprint, this.stack, voiceBaseUrl));
  }

  /** Asks as a refresh does before missing voices leave the state. */
  askAboutMissing(held: VoiceHolder[], listed: ListedVoice[], facts: AccountFacts): void {
    const { doubt, fingerprint, explained } = facts;
    // Without a proof by the list, the provider asks about explained voices too.
    const counts = missingIn(held, listed, fingerprint, doubt === undefined ? explained : undefined);
    const loss = { stack: this.stack, ...counts, doubt };
    const question = missingQuestion(loss, { ...facts, origin: facts.voiceBaseUrl });
    if (question) this.ask(question);
  }

  /** Asks before the deletion of voices that stacks with unreadable states may hold. */
  askAboutUnread(
    going: readonly { voice: string }[],
    { foreign = [], unread = [], voiceBaseUrl: origin }: ReviewFacts,
  ): void {
    const doubtful = going.map(({ voice }) => voice).filter((voice) => foreign.includes(voice));
    if (doubtful.length > 0 && unread.length > 0)
      this.ask(unreadQuestion(doubtful, unread, { stack: this.stack, origin }));
  }

  /** Asks before a new stack pays for voices that somebody may have created by hand: no stack holds these voices. */
  askAboutVoicesByHand(changes: readonly Change[], listed: readonly ListedVoice[], facts: ReviewFacts): void {
    const { held, elsewhere } = facts;
    if (held === undefined) return;
    const unclaimed = listed.filter(({ voice }) => elsewhere?.has(voice) !== true);
    const madeByHand = changes
      .filter((change) => change.kind === "voice" && isBilled(change))
      .map(({ urn, name }) => ({ name, voices: voicesByHand(urn, unclaimed) }))
      .filter(({ voices }) => voices.length > 0);
    if (held.length >= madeByHand.length) return;
    const question = createQuestion(madeByHand, this.stack, { ...facts, origin: facts.voiceBaseUrl });
    if (question) this.ask(question);
  }

  /** Asks as an update does about image tasks and answers that may have been paid for already. */
  askAboutTasks(steps: Step[], facts: ReviewFacts): void {
    const { doubtfulTasks = new Map<string, undefined>(), imageBaseUrl, decisionBaseUrl } = facts;
    for (const step of steps) {
      const { urn, op, oldState, newState } = step;
      if (op !== "same" && op !== "update") continue;
      const { id = "" } = oldState ?? {};
      const inputs = newState?.inputs ?? oldState?.inputs ?? {};
      const about = { name: shownName(urn), stack: this.stack, inputs, prices: facts };
      const image = { ...about, origin: imageBaseUrl, urn: oldState?.urn ?? urn };
      if (doubtfulTasks.has(urn)) this.ask(imageQuestion(id, doubtfulTasks.get(urn), image));
      if (kindOf(step) === "decision" && isUnreadId(id))
        this.ask(decisionQuestion(id, { ...about, origin: decisionBaseUrl }));
    }
  }
}

type AccountFacts = Pick<
  ReviewFacts,
  "fingerprint" | "doubt" | "explained" | "voiceBaseUrl" | "voicePrice" | "currency"
>;

/** Formats one line for each question, and a line with the variable that says yes to all questions. */
export function questionLines(questions: readonly ShownQuestion[]): string[] {
  if (questions.length === 0) return [];
  const lines = questions.map(({ uncertain, yes }) => `Question: ${uncertain} If you say yes, ${yes}.`);
  const all = `${acceptVariable}=${questions.map(({ id }) => id).join(",")}`;
  return [...lines, `To say yes${questions.length > 1 ? " to all of them" : ""}, run the update with ${all}`];
}
