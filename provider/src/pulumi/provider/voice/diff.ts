import { InputError } from "../../../errors";
import {
  asDeclared,
  type CheckedVoice,
  type VoiceOutputs,
  voiceReplacements,
  voiceUpdates,
} from "../../../rules/voice";
import { skippedDelete } from "../../../voices/judge/delete";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { assertReplaceable } from "./ask";

/** Announces to later calls what will happen to the voice. */
export async function diffVoice(
  operation: Operation,
  voice: string,
  olds: VoiceOutputs,
  news: CheckedVoice,
  resource: Resource,
  unknown: ReadonlySet<string>,
): Promise<{ replaces: string[]; updates: boolean }> {
  const { calls, journal } = operation;
  const replaces = voiceReplacements(asDeclared(olds), news, unknown);
  if (replaces.length > 0) {
    await assertReplaceable(operation, voice, olds, resource);
    if (resource.options.deleteBeforeReplace) calls.expectDelete(voice, resource);
    return { replaces, updates: false };
  }
  // A refresh calls `diff` also for a resource that the program no longer has.
  if (calls.isDeclared(resource) && !(await keepsVoice(operation, voice, resource)))
    return { replaces: ["preferredName"], updates: false };
  // The state has the voice, so remove the journal's note about it. Do not wait for the removal, because the engine
  // calls `diff` for one voice after the other. If the note stays, the next run finds the same voice by the note as by
  // the name.
  void journal.forgetId(voice);
  return { replaces, updates: voiceUpdates(olds, news, unknown).length > 0 };
}

/**
 * Whether the resource keeps its voice. False if two resources hold the voice and it belongs to the other one: then this
 * resource is replaced, and gets a voice of its own. Throws if the resource can't be replaced, e.g. if it is protected.
 */
async function keepsVoice(operation: Operation, voice: string, resource: Resource): Promise<boolean> {
  const { calls, facts, judge, log, states } = operation;
  const holders = await facts.holdersOf(voice);
  const others = await states.beside(resource.identity, holders);
  const verdict = judge.keep(voice, { resource, calls: calls.on(voice), holders, others });
  if (verdict.action === "reject") throw new InputError(verdict.reason);
  if (verdict.action === "replace") {
    log.line(verdict.reason);
    return false;
  }
  calls.keep(voice, resource);
  const skipped = skippedDelete(voice, holders);
  if (skipped !== undefined) log.warn(skipped);
  return true;
}
