import { hashIn } from "../../rules/naming";
import { visible } from "../../rules/visible";
import type { ListedVoice } from "../../service/voices/client";
import { VoiceIndex } from "../../service/voices/voice-index";
import type { VoiceHolder } from "../../voices/holder";
import { againQuestion, takeQuestionOf } from "../../voices/judge/create";
import { sharedByState } from "../../voices/judge/keep";
import {
  actions,
  type Change,
  type ChangeContext,
  changeOf,
  cleaningChange,
  isMissing,
  kindOf,
  shownName,
  withCharge,
} from "./change";
import type { ReviewFacts } from "./facts";
import { kinds } from "./fields";
import type { IdsInState } from "./ids";
import type { Step } from "./preview";
import type { ReviewQuestions } from "./questions";
import { isEntryOfSet, leftBehindStep } from "./sets";
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
  { elsewhere, foreign = [] }: Pick<ReviewFacts, "elsewhere" | "foreign">,
): Change[] {
  const present = new Set(listed.map(({ voice }) => voice));
  const current = held.filter(({ isOld }) => !isOld).map(({ voice }) => voice);
  const stayingIds = new Set([...current, ...planned.map(({ takes }) => takes)]);
  const waiting = held.filter(({ isOld, retained, voice, savedUrn }) => {
    // The update removes a replaced voice from the state of a set, even if the list does not show the voice.
    const isDue = present.has(voice) || isEntryOfSet(savedUrn);
    return isOld && retained !== true && isDue && !stayingIds.has(voice);
  });
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
    if (isEntryOfSet(urn) && foreign.includes(id)) {
      const because = "its name does not show that the set made it";
      return { ...change, retained: true, why: `${why}; it stays in the account, because ${because}` };
    }
    return present.has(id) ? change : { ...change, why: `${why}; the account's list does not show it` };
  });
}

/**
 * Deletes of voices that the killed first updates of sets left, and that no change takes: the preview of a create has no
 * diff that shows them. As in the update, a voice stays if another resource holds it, or if states can't be read.
 */
export function deletesOfLeft(
  { held = [], elsewhere, statesKnown = true, leftOfSets = [], preview }: ReviewFacts,
  planned: readonly Change[],
): Change[] {
  if (!statesKnown) return [];
  const { createdSets = [], steps } = preview;
  const staying = new Set([...planned.map(({ takes }) => takes), ...held.map(({ voice }) => voice)]);
  const created = new Set(steps.map(({ newState }) => hashIn(String(newState?.inputs.preferredName))));
  const left = leftOfSets.flatMap(({ urn, voices, unseen, isUnread }): Step[] => {
    if (isUnread) return [{ op: "update", urn, leftBehind: "unknown" }];
    const retained = createdSets.some((set) => set.urn === urn && set.keepsRemoved);
    const going = voices.filter((voice) => !staying.has(voice) && elsewhere?.has(voice) !== true);
    const mayAppear = unseen.filter((name) => !created.has(hashIn(name)));
    return [
      ...going.map((voice) => leftBehindStep(urn, voice, "voice", retained)),
      ...mayAppear.map((name) => leftBehindStep(urn, name, "name", retained)),
    ];
  });
  return left.map((step) => ({ ...cleaningChange(step), charge: 0 }));
}

export function byKindActionAndName(a: Change, b: Change): number {
  return (
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    actions.indexOf(a.action) - actions.indexOf(b.action) ||
    (a.urn < b.urn ? -1 : 1)
  );
}
