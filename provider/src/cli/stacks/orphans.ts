import { hasGeneratedForm, hashIn, hashInVoice, nameOfVoice } from "../../rules/naming";
import type { Listed } from "../../rules/voice";
import { isNameOfHolder, type Naming, type VoiceHolder } from "./holder";

/** The voices with the generated name of a resource in this state, although it holds another voice. */
export function orphanedVoices<T extends Listed>(
  listed: T[],
  held: readonly Pick<VoiceHolder, "voice" | "generatedName" | "urn" | "stack" | "madeFrom">[],
  naming: Naming,
): T[] {
  const ids = new Set(held.map(({ voice }) => voice));
  const names = new Set(
    held.flatMap((holder) => {
      const { generatedName } = holder;
      const isProven = generatedName !== undefined && isNameOfHolder(holder, generatedName, naming) === "yes";
      return isProven ? [hashIn(generatedName)] : [];
    }),
  );
  return listed.filter(
    ({ voice }) => !ids.has(voice) && names.has(hashInVoice(voice)) && hasGeneratedForm(nameOfVoice(voice)),
  );
}
