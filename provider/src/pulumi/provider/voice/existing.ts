import { voiceCarriesName } from "../../../rules/naming";
import type { Question } from "../../../rules/question";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import type { ListedVoice } from "../../../service/voices/client";
import { stackOfUrn } from "../../../stacks/names";
import type { VoiceHolder } from "../../../voices/holder";
import {
  type CreateVerdict,
  doubtOfCreate,
  holderBeside,
  takeQuestionOf,
  voiceQuestion,
} from "../../../voices/judge/create";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";

/** The verdict of a create about these voices: gathers the facts about them for the judge. */
export async function verdictAtCreate(
  operation: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  found: ListedVoice[],
): Promise<CreateVerdict<ListedVoice> & { question?: Question }> {
  // No state need be read for it.
  if (found.length === 0) return { action: "pay", lines: [] };
  const { calls, facts, journal, states, questions, judge } = operation;
  const generated = hasGeneratedName(inputs);
  const existing: ListedVoice[] = [];
  for (const row of found) {
    const isNamed = voiceCarriesName(row.voice, inputs.preferredName, generated);
    if (isNamed && !(await journal.wasDeleted(row.voice))) existing.push(row);
  }
  const mayTake = generated && existing.length > 0;
  const everywhere = mayTake ? await facts.holders("everywhere") : [];
  const holders = everywhere ?? (await facts.holders()) ?? [];
  const others = await states.beside(resource.identity, holders);
  const mine = holders.filter((holder) => !others.includes(holder));
  const verdict = judge.create(inputs.preferredName, withoutReplaced(existing, mine), {
    generated,
    holderOf: (voice) => holderBeside(voice, { calls: calls.on(voice), label: resource.label, others }),
    isOwn: (voice) => calls.isKeptForCreate(voice) || mine.some((holder) => holder.voice === voice),
    unfinished: mayTake ? await facts.unfinished.find(inputs, stackOfUrn(resource.identity?.urn)) : undefined,
    statesKnown: everywhere !== undefined,
    isAccepted: mayTake && (await questions.isAccepted(takeQuestion())),
  });
  return verdict.action === "ask" ? { ...verdict, question: takeQuestion(verdict.reason) } : verdict;

  function takeQuestion(why?: string): Question {
    return takeQuestionOf(operation.settings.voiceBaseUrl, stackOfUrn(resource.identity?.urn), why);
  }
}

/**
 * Workaround: the engine does not tell of `replaceWith` and `replacementTrigger`, with which the voice that the resource
 * has is to be replaced, and not to be reused.
 */
function withoutReplaced(existing: ListedVoice[], mine: VoiceHolder[]): ListedVoice[] {
  const replaced = mine.filter((holder) => holder.isReplacedOnDemand && !holder.isOld);
  return existing.filter(({ voice }) => !replaced.some((holder) => holder.voice === voice));
}

/**
 * The question before a create is sent again: an earlier one may have been billed, and the list does not prove that its
 * voice does not exist, or the service answered it with success. Undefined if there was none, or if it is certain.
 */
export async function payAgainQuestion(
  { facts, service, settings }: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  known: ListedVoice[],
): Promise<Question | undefined> {
  const stack = stackOfUrn(resource.identity?.urn);
  const unfinished = await facts.unfinished.find(inputs, stack);
  if (unfinished === undefined) return undefined;
  const doubt = doubtOfCreate(unfinished, known, await service.account.doubtNow({ ...inputs, generated: true }));
  if (doubt === undefined) return undefined;
  const { preferredName: name } = inputs;
  return voiceQuestion(doubt, { name, origin: settings.voiceBaseUrl, stack, prices: settings });
}
