import { carriesName, hasClonedShape, mayCarryName } from "./naming";
import type { VoiceOutputs } from "./voice";

/** Why a delete leaves the voice in the account: the resource of this state did not create it. */
export function reasonToStay(
  voice: string,
  { adopted, preferredName }: Partial<Pick<VoiceOutputs, "adopted" | "preferredName">>,
): string | undefined {
  if (adopted) return "this stack adopted it and did not create it";
  // A person who can write a state could put another voice there. An import may record no name, and an id
  // without the documented shape says nothing.
  if (preferredName === undefined || !hasClonedShape(voice)) return undefined;
  // Behind a prefix that ends like a name, nobody can say where a chosen name begins: that is no contradiction.
  if (carriesName(voice, preferredName) || mayCarryName(voice, preferredName)) return undefined;
  return `its name contradicts the state, which says ${preferredName}`;
}
