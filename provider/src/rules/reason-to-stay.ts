import { hasClonedShape, nameMatch } from "./naming";
import type { VoiceOutputs } from "./voice";

/** Why a delete leaves the voice in the account: the resource of this state did not create it. */
export function reasonToStay(
  voice: string,
  { adopted, preferredName }: Partial<Pick<VoiceOutputs, "adopted" | "preferredName">>,
): string | undefined {
  if (adopted) return "this stack adopted it and did not create it";
  // A person who can write a state could put another voice there, so compare the name. Skip this if an import recorded
  // no name, or if the id lacks the documented shape.
  if (preferredName === undefined || !hasClonedShape(voice)) return undefined;
  // If the prefix ends like a name, it is unclear where a chosen name begins, which is no contradiction.
  if (nameMatch(voice, preferredName) !== "no") return undefined;
  return `its name contradicts the state, which says ${preferredName}`;
}
