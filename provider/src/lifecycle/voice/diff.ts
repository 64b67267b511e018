import { QuestionError } from "../../rules/question";
import { ageMs } from "../../rules/time";
import { asDeclared, type CheckedVoice, type VoiceOutputs, voiceReplacements, voiceUpdates } from "../../rules/voice";
import type { Resource } from "../lifecycle";
import type { Operation, Reading } from "../operation";
import { assertAccount } from "./ask";

/** What a change does. A resource that is not replaced keeps its voice, which no delete of this operation may remove. */
export async function diffVoice(
  operation: Operation,
  voice: string,
  olds: VoiceOutputs,
  news: CheckedVoice,
  resource: Resource,
  unknown: ReadonlySet<string>,
): Promise<{ replaces: string[]; updates: boolean }> {
  const { given, quota, plan } = operation;
  const replaces = voiceReplacements(asDeclared(olds), news, unknown);
  const isReplaced = replaces.length > 0;
  if (plan.isOn) await planMissing(operation, voice, olds, resource, isReplaced);
  if (!isReplaced) {
    keepVoice(operation, voice, olds, resource);
    return { replaces, updates: voiceUpdates(olds, news, unknown).length > 0 };
  }
  given.release(voice, resource.label);
  // An adopted voice stays, so its place in the account does not become free.
  if (resource.options.deleteBeforeReplace && !olds.adopted) quota.freesFirst(resource);
  await plan.noting(resource, () => assertAccountOfOld(operation, voice, olds, resource));
  return { replaces, updates: false };
}

/** Records that the resource has the voice. In a refresh (`diff` without `check`), only the note records it. */
export function keepVoice(
  { given, checks, notes }: Pick<Operation, "given" | "checks" | "notes">,
  voice: string,
  state: Partial<VoiceOutputs>,
  resource: Resource,
): void {
  if (checks.isDeclared(resource)) given.add(voice, resource.label);
  // Do not wait, because the engine calls `diff` for one voice after the other. If the note is not written, the next
  // operation tries again. Without an API key, a preview has no notes.
  notes.give(voice, state, resource.label).catch(() => undefined);
}

/** Asks before a replacement is paid for in another account than the one that has the old voice. */
async function assertAccountOfOld(
  operation: Operation,
  voice: string,
  olds: VoiceOutputs,
  resource: Resource,
): Promise<void> {
  const { service, settings } = operation;
  try {
    if (olds.adopted || olds.account === service.voiceFingerprint()) return;
    const first = await service.account.atStart();
    if (first.get(voice) || (ageMs(olds.createdAt, first.atMs) ?? Infinity) < settings.settleMs) return;
    if ((await service.account.second(first)).get(voice)) return;
    assertAccount(operation, voice, olds, resource);
  } catch (error) {
    // If there is no key, or the service does not answer, a preview goes on. The update reports the error.
    if (error instanceof QuestionError) throw error;
  }
}

/**
 * Writes that the account lacks the voice: only an update with a refresh notices it, and creates the voice again. A
 * voice too new for the list is written only if it is replaced: not counted in the list, it frees no place.
 */
async function planMissing(
  { checks, service, settings, plan }: Reading,
  voice: string,
  { createdAt }: VoiceOutputs,
  resource: Resource,
  isReplaced: boolean,
): Promise<void> {
  if (!checks.isDeclared(resource)) return;
  const list = await service.account.atStart();
  const isYoung = (ageMs(createdAt, list.atMs) ?? Infinity) < settings.settleMs;
  if (!list.get(voice) && (isReplaced || !isYoung)) plan.write(resource, { gone: voice });
}
