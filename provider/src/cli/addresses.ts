import { InputError } from "../errors";
import { addressDoubts, addressUse } from "../rules/addresses";
import { acceptedIds, type Question, QuestionError, questionIds } from "../rules/question";
import type { ResourceKind } from "../rules/resource-types";
import type { Settings } from "../rules/settings";
import { isDefaultProvider } from "../voices/holder";
import { backendAt } from "../stacks/pulumi-states";
import type { States } from "../stacks/states";

/**
 * Returns the questions that a person must answer before a command sends the API key to the addresses in these
 * settings. `states`: the states of the stack. Throws for an address that no answer can allow.
 */
export async function openAddressQuestions(
  settings: Settings,
  states: States | undefined,
  kinds: readonly ResourceKind[] = ["voice"],
): Promise<{ question: Question; id: string }[]> {
  const state = await states?.own().catch(() => undefined);
  const usesInState = state?.addresses ?? [];
  const servedUses = usesInState.filter(({ process }) => process === "dynamic" || isDefaultProvider(process));
  const questions = kinds.flatMap((kind) => {
    const use = addressUse(settings, kind, process.env);
    if (use === undefined) return [];
    const doubts = addressDoubts(use, usesInState, servedUses);
    if (doubts.problem !== undefined) throw new InputError(doubts.problem);
    return doubts.questions;
  });
  if (questions.length === 0) return [];
  const { backend, accepted } = await askingHere();
  return questions.flatMap((question) => {
    const ids = questionIds(question, backend, Date.now());
    return ids.some((id) => accepted.has(id)) ? [] : [{ question, id: ids[0] }];
  });
}

/** Returns the backend, which is a part of each question's id, and the ids to which a person has said yes. */
export async function askingHere() {
  const backend = (await backendAt().catch(() => undefined)) ?? "unknown";
  return { backend, accepted: acceptedIds(process.env) };
}

/** Throws the first open question. For commands that can't work before all questions are answered. */
export async function assertAddress(...args: Parameters<typeof openAddressQuestions>): Promise<void> {
  const [openQuestion] = await openAddressQuestions(...args);
  if (openQuestion) throw new QuestionError(openQuestion.question, openQuestion.id);
}
