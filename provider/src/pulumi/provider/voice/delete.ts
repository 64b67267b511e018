import { InputError } from "../../../errors";
import type { VoiceOutputs } from "../../../rules/voice";
import { removeVoice } from "../../../service/voices/remove";
import type { Unread } from "../../../stacks/states";
import type { DeleteVerdict, FactsOfEntry } from "../../../voices/judge/delete";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { assertSameAccount, isGoneOrAccepted } from "./ask";

/** Deletes the voice of a state entry that is removed, unless another entry holds the voice or a create will use it. */
export async function deleteVoice(
  operation: Operation,
  voice: string,
  state: VoiceOutputs,
  resource: Resource,
): Promise<void> {
  const { facts, log } = operation;
  const holders = await holdersAtDelete(operation, voice, state, resource);
  const verdict = await verdictOf(operation, voice, holders, resource);
  if (verdict.action === "keep") return log.line(verdict.reason);
  if (verdict.action === "reject") throw new InputError(verdict.reason);
  // A voice that was deleted outside Pulumi can't be kept for a create.
  const isKept = verdict.action === "keep for a create";
  if (isKept && !(await facts.isGone(voice, state.createdAt).catch(() => false)))
    return keepForCreate(operation, voice, state);
  // Otherwise the voice would be gone, and its replacement refused, e.g. by CLOUDVOICE_MAX_BILLED.
  if (operation.calls.isReplacedForPay(voice)) await operation.billed.assertMayBegin("voices");
  return removeFromAccount(operation, voice, state, resource);
}

interface HoldersAtDelete extends FactsOfEntry {
  /** The stacks whose states could not be read. */
  unread: readonly Unread[];
}

/** Who holds the voice. Records that this entry is being removed. */
async function holdersAtDelete(
  { calls, facts, states }: Operation,
  voice: string,
  state: VoiceOutputs,
  resource: Resource,
): Promise<HoldersAtDelete> {
  const { label } = resource;
  const isNamedFor = (await facts.isNamedFor(voice, state, resource)) === "yes";
  const where = isNamedFor && !calls.expectsReuse(state) ? "project" : "everywhere";
  const { holders, unread } = await states.readable(where);
  // If states can't be read, a voice with the resource's own generated name is deleted nevertheless. Otherwise each
  // `destroy` would stop.
  if (isNamedFor && unread.length > 0) facts.warnOfUnread(unread);
  const entries = await states.heldNow(voice, holders).catch(() => states.holding(voice, holders));
  const ownStack = (await states.own().catch(() => undefined))?.stack;
  const isAllRead = unread.length === 0;
  const isReused = isAllRead && calls.expectsReuseOf(state, entries, ownStack);
  const others = calls.removeEntry(voice, label, entries);
  return { label, state, calls: calls.on(voice), isNamedFor, entries, isAllRead, others, isReused, unread };
}

async function verdictOf(
  { deletes, judge }: Operation,
  voice: string,
  { unread, ...facts }: HoldersAtDelete,
  resource: Resource,
): Promise<DeleteVerdict> {
  const verdict = judge.delete(voice, facts);
  if (verdict.action !== "ask") return verdict;
  await deletes.assertAllowed(voice, unread, resource);
  return judge.delete(voice, { ...facts, isAllRead: true });
}

function keepForCreate(
  { calls, log, service }: Operation,
  voice: string,
  { targetModel, createdAt: gmtCreate }: VoiceOutputs,
): void {
  calls.keepForCreate(voice);
  // If the run is killed before the create, and the program then drops the resource, only this line names the voice.
  log.line(`the voice ${voice} is kept for the create that follows, which reuses it`);
  // The service may not list the voice yet.
  service.account.add({ voice, targetModel, gmtCreate });
}

async function removeFromAccount(
  operation: Operation,
  voice: string,
  state: VoiceOutputs,
  resource: Resource,
): Promise<void> {
  const { journal, service, settings } = operation;
  // Before the delete is sent: whatever its outcome, a create must not reuse this voice.
  service.account.remove(voice);
  // If only the engine was killed, the next run may have given the voice to another resource. So each attempt first
  // checks that the engine is alive.
  const wasThere = await removeVoice(service, voice, {
    settleMs: settings.settleMs,
    beforeSend: operation.assertEngineAlive,
    isGone: () => isGoneOrAccepted(operation, voice, state, resource),
  });
  if (!wasThere)
    await assertSameAccount(operation, "can't be deleted: it is not in this account", voice, state, resource);
  await journal.noteDeleted(voice);
}
