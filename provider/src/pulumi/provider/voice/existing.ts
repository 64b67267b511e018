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
  type UnfinishedCreate,
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
  // Skips reading the states.
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
  const holders = everywhere ?? (await facts.knownHolders("everywhere"));
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
 * Workaround: the engine does not report `replaceWith` and `replacementTrigger`. They ask for another voice, so the
 * resource's own voice must not be reused.
 */
function withoutReplaced(existing: ListedVoice[], mine: VoiceHolder[]): ListedVoice[] {
  const replaced = mine.filter((holder) => holder.isReplacedOnDemand && !holder.isOld);
  return existing.filter(({ voice }) => !replaced.some((holder) => holder.voice === voice));
}

/**
 * Looks in the list for the voice of a create that an earlier attempt sent. Reads the list until its result is certain,
 * if that is possible. Returns the voices beside the known ones, and the question to ask before the create is sent
 * again. There is no question if the list proves that the voice does not exist, unless the service answered the create
 * with success.
 */
export async function ofEarlierCreate(
  { service, settings }: Operation,
  { preferredName, targetModel }: CheckedVoice,
  resource: Resource,
  known: ListedVoice[],
  unfinished: UnfinishedCreate,
): Promise<{ appeared: ListedVoice[]; question?: Question }> {
  const { found, doubt: listDoubt } = (await service.account.certainNow())({
    preferredName,
    targetModel,
    generated: true,
  });
  const before = new Set(known.map(({ voice }) => voice));
  const appeared = found.filter(({ voice }) => !before.has(voice));
  const doubt = doubtOfCreate(unfinished, known, listDoubt);
  if (doubt === undefined) return { appeared };
  const stack = stackOfUrn(resource.identity?.urn);
  const about = { name: preferredName, origin: settings.voiceBaseUrl, stack, prices: settings };
  return { appeared, question: voiceQuestion(doubt, about) };
}
