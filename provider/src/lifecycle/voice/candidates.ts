import type { CheckedVoice } from "../../rules/voice";
import type { VoiceNote } from "../../service/journal/note";
import type { Resource } from "../lifecycle";
import type { Reading } from "../operation";
import type { VoiceList } from "../../service/voices/account";
import type { ListedVoice } from "../../service/voices/client";

/** The listed voices of a note: the one with its id, or, without an id, those of its name that are not in `before`. */
export function ofNote(list: VoiceList, inputs: CheckedVoice, { id, before }: Pick<VoiceNote, "id" | "before">) {
  if (id !== undefined) return [list.get(id)].filter((row) => row !== undefined);
  return named(list, inputs).filter(({ voice }) => !before.includes(voice));
}

export function named(list: VoiceList, { preferredName, targetModel }: CheckedVoice): readonly ListedVoice[] {
  return list.named(preferredName).filter((row) => ["", targetModel].includes(row.targetModel));
}

/** The first voice that no other resource uses and that this operation has not deleted. This resource has it from now on. */
export function claimed({ given }: Reading, { label }: Resource, voices: readonly ListedVoice[]) {
  return voices.find(({ voice }) => given.claim(voice, label));
}

/**
 * Why, by these lists, the create of this note may have made a voice. A new voice that may have the note's name is
 * enough: the service does not promise how the prefix before a name ends.
 */
export function doubtOf(
  { given }: Reading,
  { label }: Resource,
  { preferredName }: CheckedVoice,
  { before }: Pick<VoiceNote, "before">,
  ...lists: VoiceList[]
): string | undefined {
  const perhaps = lists
    .flatMap((list) => list.perhapsNamed(preferredName))
    .find(({ voice }) => !before.includes(voice) && given.isFree(voice, label));
  if (perhaps !== undefined) return `it has the new voice ${perhaps.voice}, which may be this one`;
  return lists.find(({ doubt }) => doubt !== undefined)?.doubt;
}
