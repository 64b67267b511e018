import { keyInSet } from "../../../rules/set-moves";
import { containsHiddenSecret } from "../../../rules/unknown";
import type { VoiceOutputs } from "../../../rules/voice";
import { entryUrn, onlyEntries, type SetVoices } from "../../../rules/voice-set";
import type { VoiceHolder } from "../../../voices/holder";
import type { Operation } from "../operation";
import { inParallel, type SetResource } from "./entry";

/**
 * The voices that a new set may keep of the set that it replaces (`--replace`): the engine does not pass the old state
 * to a create. Leaves out voices that the account lacks, and voices with hidden content: a create finds these by name.
 */
export async function voicesToReplace(
  operation: Operation,
  { identity }: SetResource,
  isPreview: boolean,
): Promise<SetVoices> {
  const { states, journal } = operation;
  const own = await states.own().catch(() => undefined);
  const isOfSet = ({ savedUrn, isOld, isReplacedOnDemand, madeFrom }: VoiceHolder) =>
    savedUrn === entryUrn(identity.savedUrn, keyInSet(savedUrn) ?? "") &&
    !(isOld || isReplacedOnDemand || containsHiddenSecret(madeFrom));
  const exists = isPreview ? isListed : isThere;
  const entries = await inParallel((own?.holders ?? []).filter(isOfSet), async (holder) => {
    if ((await journal.wasDeleted(holder.voice)) || !(await exists(operation, holder))) return [];
    return [[keyInSet(holder.savedUrn) ?? "", holder.madeFrom as unknown as VoiceOutputs] as const];
  });
  return onlyEntries(entries.flat());
}

/** Asks a person if the list does not prove that the voice is gone. */
async function isThere({ facts, missing }: Operation, { voice, createdAt }: VoiceHolder): Promise<boolean> {
  const { found, doubt } = await facts.look(voice, createdAt);
  if (doubt !== undefined) await missing.assertGone(voice, doubt);
  return found !== undefined;
}

/** Without waiting. False if the list can't be read, since a preview goes on then. */
async function isListed({ service }: Operation, { voice }: VoiceHolder): Promise<boolean> {
  const listed = await service.account.voices().catch(() => []);
  return listed.some((row) => row.voice === voice);
}
