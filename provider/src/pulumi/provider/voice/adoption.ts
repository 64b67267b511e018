import { InputError } from "../../../errors";
import { nameInVoice, voiceCarriesName } from "../../../rules/naming";
import type { CheckedVoice, MadeVoice } from "../../../rules/voice";
import type { ListedVoice } from "../../../service/voices/client";
import { adoptionProblem, deletedBefore, heldElsewhere, sharedVoice } from "../../../voices/judge/adopt";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";

/** Why the voice can't be adopted, as far as a preview knows. Undefined if the list can't be read. */
export async function previewedAdoption(
  operation: Operation,
  { adopt: name, targetModel }: Partial<CheckedVoice>,
  resource: Resource,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const holder = await holderProblem(operation, name, resource);
  if (holder !== undefined) return holder;
  return findVoice(operation, name).then(
    (found) => adoptionProblem(name, found, targetModel),
    () => undefined,
  );
}

/** The problem if another resource holds the voice or may hold it. */
async function holderProblem(
  { calls, facts }: Operation,
  voice: string,
  resource: Resource,
): Promise<string | undefined> {
  if (calls.isTaken(voice, resource)) return sharedVoice(voice);
  const deletedBy = calls.deletedFirstBy(voice);
  if (deletedBy !== undefined) return deletedBefore(voice, deletedBy);
  const holder = await facts.holderElsewhere(voice, resource, (each) => calls.isLeftOut(each, resource));
  return holder && heldElsewhere(voice, holder);
}

/** Finds a voice in the account's list, except a deleted voice, which the list may still show. */
async function findVoice({ journal, service }: Operation, name: string): Promise<ListedVoice | undefined> {
  if (await journal.wasDeleted(name)) return undefined;
  const { voices } = await service.account.voicesBeside([name]);
  return voices.find(({ voice }) => voice === name);
}

export async function adoptVoice(
  operation: Operation,
  name: string,
  inputs: CheckedVoice,
  resource: Resource,
): Promise<MadeVoice> {
  const { service, calls } = operation;
  const found = await findVoice(operation, name);
  const problem = (await holderProblem(operation, name, resource)) ?? adoptionProblem(name, found, inputs.targetModel);
  if (found === undefined || problem !== undefined) {
    const isSecret = resource.secrets?.has("adopt") !== false;
    throw new InputError(
      `adopt: ${isSecret ? "the voice can't be adopted; the reason is not shown, because an input is secret" : (problem ?? "")}`,
    );
  }
  calls.claim(found.voice, {}, resource);
  service.account.add(found);
  return { voice: name, createdAt: found.gmtCreate, degraded: false };
}

/**
 * The inputs and the state of an existing voice, without its recording, which is not known. The engine makes the same
 * call for an import and for `CloudVoice.get`, which only reads the voice.
 */
export async function importVoice({ service }: Operation, id: string) {
  const found = await service.account.find(id);
  if (found === undefined) return undefined;
  const { targetModel, gmtCreate } = found;
  const preferredName = nameInVoice(id);
  const inputs = { targetModel, ...(preferredName !== undefined && { preferredName }) };
  const facts = { voice: id, createdAt: gmtCreate, degraded: false, adopted: true };
  return { inputs, state: { ...inputs, ...facts, account: service.voiceFingerprint() } };
}

/** Throws if another resource holds the imported voice. Otherwise records that this resource holds the voice. */
export async function claimImport(operation: Operation, voice: string, resource: Resource): Promise<void> {
  const problem = await holderProblem(operation, voice, resource);
  if (problem !== undefined) throw new InputError(problem);
  operation.calls.claim(voice, {}, resource);
}

/**
 * The outputs of an adopted voice: the name that the voice really has, and no facts about its recording, which is not
 * known. `adoptedWith` keeps the declared values: a later change of these replaces the voice.
 */
export function factsOfAdopted(voice: string, { preferredName, nameVersion, audioSha256, audioSeconds }: CheckedVoice) {
  const carried = nameInVoice(voice) ?? preferredName;
  const isOwn = carried === preferredName || voiceCarriesName(voice, preferredName, true);
  return {
    preferredName: carried,
    nameVersion: isOwn ? nameVersion : undefined,
    audioSha256: undefined,
    audioSeconds: undefined,
    adoptedWith: { preferredName, nameVersion, audioSha256, audioSeconds },
  };
}
