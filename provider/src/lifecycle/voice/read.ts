import { shellQuoted } from "../../rules/visible";
import { hasGeneratedName, type ListedVoice, type VoiceOutputs } from "../../rules/voice";
import { ageMs } from "../../rules/time";
import type { Resource } from "../lifecycle";
import type { Operation, Reading } from "../operation";
import { doubtOf, haveVoices, type VoiceList } from "../../service/voices/account";
import { assertAccount, assertMissing } from "./ask";
import { boundToAnother } from "./pay";

/** Checks whether the voice exists. Undefined if it is gone, which takes two lists to show. */
export async function readVoice(
  operation: Operation,
  voice: string,
  state: VoiceOutputs,
  resource: Resource,
): Promise<VoiceOutputs | undefined> {
  const { service, settings, notes, log } = operation;
  const { account } = service;
  if ((await account.atStart()).get(voice) === undefined)
    log.once(
      "second look",
      `the account's list lacks voices that the state has, such as ${voice}. One list proves nothing, so a second is ` +
        `read after ${settings.settleMs / 1000} s (settleSeconds)`,
    );
  const { first, last, row } = await account.lookFor(voice);
  if (row !== undefined) {
    await notes.hold(voice, state, resource.label);
    warnOfListed(operation, row, state, last);
    // The voice is in this account, whatever account the state records.
    return { createdAt: row.createdAt, ...state, voice, account: service.voiceFingerprint() };
  }
  const doubt = doubtAbout(state, first, last, settings.settleMs);
  if (state.account !== service.voiceFingerprint()) assertAccount(operation, voice, state, resource);
  else if (doubt !== undefined) assertMissing(operation, voice, doubt, resource);
  log.line(
    `the voice ${voice} no longer exists: it was deleted outside Pulumi, or not used for a year. ` +
      "The refresh removes it from the state, and the next update creates it again",
  );
  // The voice counts as deleted, so no note may speak for it: the next create pays without a wait or a question.
  await notes.removeOf(voice, state);
  return undefined;
}

/** Why the voice may exist although two lists lack it. */
function doubtAbout({ createdAt }: VoiceOutputs, first: VoiceList, second: VoiceList, settleMs: number) {
  const doubt = doubtOf(first, second);
  if (doubt !== undefined) return doubt;
  if (!haveVoices(first, second)) return "the list has no voice at all, which may be a fault";
  // The age counts at the first list: a voice that was new then may appear later.
  const isYoung = (ageMs(createdAt, first.atMs) ?? Infinity) < settleMs;
  return isYoung ? "the voice is so new that a list may not show it yet" : undefined;
}

function warnOfListed(
  { log, given }: Reading,
  { voice, targetModel }: ListedVoice,
  state: VoiceOutputs,
  list: VoiceList,
): void {
  if (targetModel !== "" && targetModel !== state.targetModel) log.warn(boundToAnother(voice, targetModel));
  if (state.adopted || !hasGeneratedName(state)) return;
  for (const { voice: second } of list.named(state.preferredName)) {
    if (second === voice || !given.isFreeFor(second, "")) continue;
    log.line(
      `the account has a second voice with the name of ${voice}: ${second}. If no resource in any backend uses it, it is ` +
        "left from a killed run, or from a create whose response was lost. To delete it: " +
        `\`npx --no-install pulumi-cloudvoice delete ${shellQuoted(second)}\``,
    );
  }
}
