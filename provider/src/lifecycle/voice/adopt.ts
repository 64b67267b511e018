import { InputError } from "../../errors";
import { hasGeneratedId, nameInVoice, nameMatch } from "../../rules/naming";
import { unknownValue } from "../../rules/values";
import type { CheckedVoice, ListedVoice, VoiceOutputs } from "../../rules/voice";
import { adoptQuestion } from "../../rules/questions";
import type { Resource } from "../lifecycle";
import { doubtOf } from "../../service/voices/account";
import type { Operation, Reading } from "../operation";

/** Uses a voice that exists. Asks only about a generated name: some stack created that voice, and deletes it. */
export async function adoptVoice(
  operation: Operation,
  voice: string,
  inputs: CheckedVoice,
  resource: Resource,
): Promise<{ id: string; state: VoiceOutputs }> {
  const { service, given, notes } = operation;
  const row = await adoptable(operation, voice);
  const problem = adoptionProblem(voice, row, inputs.targetModel);
  if (problem !== undefined) {
    const isSecret = resource.secrets?.has("adopt") !== false;
    const shown = isSecret
      ? "the voice can't be adopted; the reason is not shown, because an input is secret"
      : problem;
    throw new InputError(`adopt: ${shown}`);
  }
  assertMayAdopt(operation, voice, resource);
  given.add(voice, resource.label);
  const facts = { voice, createdAt: row?.createdAt, degraded: false, adopted: true };
  const state = { ...inputs, ...facts, ...factsOfAdopted(voice, inputs), account: service.voiceFingerprint() };
  await notes.give(voice, state, resource.label);
  return { id: voice, state };
}

/** The voice to adopt. One list is enough for a hand-made voice. A voice with a generated name takes two. */
async function adoptable({ service }: Reading, voice: string): Promise<ListedVoice | undefined> {
  const { account } = service;
  const list = await account.atStart();
  const row = list.get(voice);
  return row && !hasGeneratedId(voice) ? row : (await account.second(list)).get(voice);
}

function assertMayAdopt({ service, questions }: Operation, voice: string, { stack }: Resource): void {
  if (!hasGeneratedId(voice)) return;
  const question = adoptQuestion(voice, { account: service.voiceFingerprint(), stack });
  questions.assertAccepted(question, `the voice ${voice} is adopted`);
}

/** Tells a review that the voice is adopted, or which question is asked. */
export function planAdoption(operation: Operation, voice: string, resource: Resource): void {
  const { plan } = operation;
  if (!plan.isOn || resource.secrets?.has("adopt") !== false) return;
  assertMayAdopt(operation, voice, resource);
  plan.write(resource, { takes: voice });
}

/** Why the voice can't be adopted, as far as a preview knows. Undefined if the list can't be read. */
export async function previewedAdoption(
  { service }: Reading,
  { adopt: voice, targetModel }: Partial<CheckedVoice>,
): Promise<string | undefined> {
  if (voice === undefined) return undefined;
  const list = await service.account.atStart().catch(() => undefined);
  return list && adoptionProblem(voice, list.get(voice), targetModel);
}

/** Why a voice can't be adopted, judged by its row in the account's list. Undefined if it can. */
function adoptionProblem(
  voice: string,
  row: Pick<ListedVoice, "targetModel"> | undefined,
  targetModel: unknown,
): string | undefined {
  if (!row)
    return `the account's list shows no voice ${voice}; \`npx --no-install pulumi-cloudvoice voices\` prints that list`;
  if (["", targetModel].includes(row.targetModel) || targetModel === unknownValue) return undefined;
  return `the voice ${voice} is bound to ${row.targetModel}; set targetModel to this model, or adopt another voice`;
}

/**
 * The outputs of an adopted voice: the name that the voice really has, and no facts about its recording, which is not
 * known. `adoptedWith` keeps the declared values: a later change of these replaces the voice.
 */
export function factsOfAdopted(voice: string, inputs: CheckedVoice) {
  const { preferredName, nameVersion, noteName, audioSha256, audioSeconds } = inputs;
  const carried = nameInVoice(voice) ?? preferredName;
  const isOwn = carried === preferredName || nameMatch(voice, preferredName) === "yes";
  return {
    preferredName: carried,
    nameVersion: isOwn ? nameVersion : undefined,
    noteName: undefined,
    audioSha256: undefined,
    audioSeconds: undefined,
    adoptedWith: { preferredName, nameVersion, noteName, audioSha256, audioSeconds },
  };
}

/**
 * The inputs and the state of an existing voice, without its recording, which is not known. The engine makes the same
 * call for an import and for `CloudVoice.get`, which only reads the voice. An imported voice is the resource's own.
 */
export async function importVoice({ service }: Reading, voice: string) {
  const { first, last, row } = await service.account.lookFor(voice);
  if (row === undefined) {
    if (doubtOf(first, last) === undefined) return undefined;
    throw new InputError(`the account's list lacks ${voice}, and may be incomplete`);
  }
  const { targetModel, createdAt } = row;
  const preferredName = nameInVoice(voice);
  const inputs = { targetModel, ...(preferredName !== undefined && { preferredName }) };
  const facts = { voice, createdAt, degraded: false, adopted: false };
  return { inputs, state: { ...inputs, ...facts, account: service.voiceFingerprint() } };
}
