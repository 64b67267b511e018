import { visible } from "../../rules/visible";
import type { ListedVoice } from "../../service/voices/client";
import { VoiceIndex } from "../../service/voices/voice-index";
import type { VoiceHolder } from "../../voices/holder";
import { againQuestion, type OpenCreate, takeQuestionOf } from "../../voices/judge/create";
import { sharedByState } from "../../voices/judge/keep";
import { actions, type Change, changeOf, isMissing, kindOf, shownName, withCharge } from "./change";
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
  const { held = [], elsewhere = new Map<string, string>(), statesKnown = true, preview } = facts;
  const { hasFile, namespace, unfinished, deletedVoices } = facts;
  const { stack } = questions;
  if (account) questions.askAboutMissing(held, account, facts);
  const { steps } = preview;
  const urnsOf = (isSuch: (step: Step) => boolean) => new Set(steps.filter(isSuch).map(({ urn }) => urn));
  const listed = account && new VoiceIndex(account);
  const adopts = (step: Step) =>
    step.op === "create" ||
    (step.op === "replace" && step.newState?.inputs.adopt !== step.oldState?.id) ||
    isMissing(step, kindOf(step), { listed });
  const context = {
    listed,
    ...{ ids, elsewhere, statesKnown, hasFile, namespace, unfinished, deletedVoices },
    askToTake: (why: string) => questions.ask(takeQuestionOf(facts.voiceBaseUrl, stack, why)),
    askToPay: (name: string, unfinished: OpenCreate, held: readonly ListedVoice[]) => {
      const last = unfinished.last ?? { found: [], doubt: facts.doubt };
      const about = { name, stack, prices: facts, origin: facts.voiceBaseUrl };
      const question = againQuestion(unfinished, held, last, about);
      if (question) questions.ask(question);
    },
    adopted: new Set(steps.filter(adopts).map(({ newState }) => String(newState?.inputs.adopt))),
    contested: new Set<string>(),
    refreshProblem: account && sharedProblem(held),
    deletedFirst: urnsOf((step) => kindOf(step) !== undefined && isDeletedFirst(step)),
    deleted: urnsOf((step) => step.op === "delete" || (step.op === "replace" && !isDeletedFirst(step))),
    refreshed: urnsOf(({ op }) => op === "refresh"),
  };
  const changes = steps.flatMap((step) => {
    const change = changeOf(step, context);
    return change === undefined ? [] : [withCharge(change, step, facts)];
  });
  const losesVoice = (step: Step) =>
    kindOf(step) === "voice" && isDeletedFirst(step) && step.oldState?.retainOnDelete !== true;
  const idsDeletedFirst = new Set(steps.filter(losesVoice).map(({ oldState }) => oldState?.id));
  const isContested = ({ takes = "", id }: Change) =>
    context.contested.has(takes) || (takes !== id && idsDeletedFirst.has(takes));
  return changes
    .map((change) => (isContested(change) ? { warning: contestedVoice, ...change } : change))
    .sort(byKindActionAndName);
}

const contestedVoice =
  "the update may fail: another resource holds the voice to adopt, and keeps it or deletes it first";

/** Returns why `pulumi up --refresh` would fail if two resources hold one voice. */
function sharedProblem(held: VoiceHolder[]): string | undefined {
  const problems = held.map(({ voice }) =>
    sharedByState(
      voice,
      held.filter((each) => each.voice === voice),
    ),
  );
  const shared = problems.find((problem) => problem !== undefined);
  return shared && visible(shared);
}

/**
 * The deletes of voices that an earlier update replaced and did not delete, e.g. because another resource failed.
 * The next update makes these deletes, but no step of a preview shows them.
 */
export function waitingDeletes(
  held: VoiceHolder[],
  listed: ListedVoice[],
  planned: Change[],
  { elsewhere = new Map<string, string>(), foreign = [] }: Pick<ReviewFacts, "elsewhere" | "foreign">,
): Change[] {
  const present = new Set(listed.map(({ voice }) => voice));
  const current = held.filter(({ isOld }) => !isOld).map(({ voice }) => voice);
  const stayingIds = new Set([...current, ...planned.map(({ takes }) => takes)]);
  const isOfSet = ({ savedUrn }: VoiceHolder) => savedUrn.includes("VoiceSet$");
  // The provider keeps a replaced voice of a set if the voice's name does not show that the set made it.
  const isKept = (holder: VoiceHolder) => isOfSet(holder) && foreign.includes(holder.voice);
  // For a set, a replaced voice also counts if the list does not show it: the update removes the voice from the set's
  // state.
  const waiting = held.filter((holder) => {
    const { isOld, retained, voice } = holder;
    return isOld && retained !== true && (present.has(voice) || isOfSet(holder)) && !stayingIds.has(voice);
  });
  return waiting.map((holder) => {
    const { savedUrn: urn, voice: id } = holder;
    const heldBy = elsewhere.get(id);
    const stays =
      heldBy !== undefined
        ? `; it stays, because the stack ${visible(heldBy)} holds it too`
        : isKept(holder)
          ? "; it stays in the account, because its name does not show that the set made it"
          : present.has(id)
            ? ""
            : "; the account's list does not show it";
    return {
      ...{ kind: "voice", action: "delete", name: shownName(urn), urn, id, fields: [], charge: 0 },
      ...(heldBy !== undefined ? { heldBy: visible(heldBy) } : isKept(holder) && { retained: true }),
      why: `replaced by an earlier update, which ended before it deleted this voice${stays}`,
    };
  });
}

export function byKindActionAndName(a: Change, b: Change): number {
  return (
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    actions.indexOf(a.action) - actions.indexOf(b.action) ||
    (a.urn < b.urn ? -1 : 1)
  );
}
