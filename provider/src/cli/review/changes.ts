import { visible } from "../../rules/visible";
import type { ListedVoice } from "../../service/voices/client";
import { VoiceIndex } from "../../service/voices/voice-index";
import type { VoiceHolder } from "../../voices/holder";
import { againQuestion, takeQuestionOf } from "../../voices/judge/create";
import { sharedByState } from "../../voices/judge/keep";
import { actions, type Change, type ChangeContext, changeOf, isMissing, kindOf, shownName, withCharge } from "./change";
import type { ReviewFacts } from "./facts";
import { kinds } from "./fields";
import type { IdsInState } from "./ids";
import type { Step } from "./preview";
import type { ReviewQuestions } from "./questions";
import { isDeletedFirst } from "./voice-outcome";

/** The changes of the preview's steps, and the missing voices that `pulumi up --refresh` would create again. */
export function changesOf(
  facts: ReviewFacts,
  ids: IdsInState,
  account: ListedVoice[] | undefined,
  questions: ReviewQuestions,
): Change[] {
  const { held = [], preview } = facts;
  if (account) questions.askAboutMissing(held, account, facts);
  const context = contextOf(facts, ids, account, questions);
  const changes = preview.steps.flatMap((step) => {
    const change = changeOf(step, context);
    return change === undefined ? [] : [withCharge(change, step, facts)];
  });
  const losesVoice = (step: Step) =>
    kindOf(step) === "voice" && isDeletedFirst(step) && step.oldState?.retainOnDelete !== true;
  const idsDeletedFirst = new Set(preview.steps.filter(losesVoice).map(({ oldState }) => oldState?.id));
  const isContested = ({ takes = "", id }: Change) =>
    context.contested.has(takes) || (takes !== id && idsDeletedFirst.has(takes));
  const contested = "the update may fail: another resource holds the voice to adopt, and keeps it or deletes it first";
  return changes.map((change) => (isContested(change) ? { ...change, warning: change.warning ?? contested } : change));
}

function contextOf(
  facts: ReviewFacts,
  ids: IdsInState,
  account: ListedVoice[] | undefined,
  questions: ReviewQuestions,
): ChangeContext {
  const { held = [], elsewhere = new Map<string, string>(), statesKnown = true, voiceBaseUrl: origin } = facts;
  const { steps } = facts.preview;
  const { stack } = questions;
  const urnsOf = (isSuch: (step: Step) => boolean) => new Set(steps.filter(isSuch).map(({ urn }) => urn));
  const listed = account && new VoiceIndex(account);
  const replaced = steps.filter(({ op }) => op === "replace");
  const adopts = (step: Step) =>
    step.op === "create" ||
    (step.op === "replace" && step.newState?.inputs.adopt !== step.oldState?.id) ||
    isMissing(step, { listed });
  return {
    ...facts,
    ...{ listed, ids, elsewhere, statesKnown },
    askToTake: (why) => questions.ask(takeQuestionOf(origin, stack, why)),
    askToPay: (name, unfinished, named) => {
      const last = unfinished.last ?? { found: [], doubt: facts.doubt };
      const question = againQuestion(unfinished, named, last, { name, stack, prices: facts, origin });
      if (question) questions.ask(question);
    },
    adopted: new Set(steps.filter(adopts).map(({ newState }) => String(newState?.inputs.adopt))),
    contested: new Set(),
    refreshProblem: account && sharedProblem(held),
    deletedFirst: urnsOf((step) => kindOf(step) !== undefined && isDeletedFirst(step)),
    deletedLast: urnsOf((step) => step.op === "delete" || (step.op === "replace" && !isDeletedFirst(step))),
    refreshed: urnsOf(({ op }) => op === "refresh"),
    removedByRefresh: facts.last?.removedByRefresh ?? 0,
    replaced: new Map(replaced.map((step) => [step.urn, isDeletedFirst(step)])),
  };
}

/** Returns why `pulumi up --refresh` would fail if two resources hold one voice. */
function sharedProblem(held: VoiceHolder[]): string | undefined {
  for (const { voice } of held) {
    const holders = held.filter((each) => each.voice === voice);
    const problem = sharedByState(voice, holders);
    if (problem !== undefined) return visible(problem);
  }
  return undefined;
}

/** Deletes of voices that an earlier update replaced and did not delete. No step of a preview shows these deletes. */
export function waitingDeletes(
  held: VoiceHolder[],
  listed: ListedVoice[],
  planned: Change[],
  { elsewhere }: Pick<ReviewFacts, "elsewhere">,
): Change[] {
  const present = new Set(listed.map(({ voice }) => voice));
  const current = held.filter(({ isOld }) => !isOld).map(({ voice }) => voice);
  const stayingIds = new Set([...current, ...planned.map(({ takes }) => takes)]);
  const waiting = held.filter(
    ({ isOld, retained, voice }) => isOld && retained !== true && present.has(voice) && !stayingIds.has(voice),
  );
  return waiting.map(({ savedUrn: urn, voice: id }) => {
    const why = "replaced by an earlier update, which ended before it deleted this voice";
    const change: Change = {
      ...{ kind: "voice", action: "delete", name: shownName(urn), urn, id, fields: [], charge: 0, why },
    };
    const otherStack = elsewhere?.get(id);
    if (otherStack !== undefined) {
      const heldBy = visible(otherStack);
      return { ...change, heldBy, why: `${why}; it stays, because the stack ${heldBy} holds it too` };
    }
    return change;
  });
}

export function byKindActionAndName(a: Change, b: Change): number {
  return (
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    actions.indexOf(a.action) - actions.indexOf(b.action) ||
    (a.urn < b.urn ? -1 : 1)
  );
}
