import { hasClonedShape, hasGeneratedForm, nameInVoice } from "../../rules/naming";
import { type VoicePrice, voicesCost } from "../../rules/price";
import type { Question } from "../../rules/question";
import { nameInUrn } from "../../rules/resource-types";

/** A resource to create, and the voices that somebody may have made for it by hand. */
export interface MadeByHand {
  name: string;
  voices: string[];
}

/** Shorter keys are not compared: too many names begin with them. */
const shortestKey = 3;
/** From this number of resources on, their voices probably exist already, and not by coincidence. */
const fewestResources = 3;

/**
 * Returns what may be the resource's key in a catalog, or else its name, with only the characters of voice names.
 * A URN does not show where the name of a catalog ends: both `my` and `my-voices` may have `my-voices-narrator`.
 */
function keysIn(urn: string): string[] {
  const name = nameInUrn(urn);
  const parts = name.split("-");
  const ofCatalog = parts.slice(1).map((_, index) => parts.slice(index + 1).join("-"));
  const keys = urn.includes("VoiceCatalog$") ? ofCatalog : [name];
  return keys.map((key) =>
    key
      .replace(/[^0-9A-Za-z]+/g, "_")
      .replace(/^_|_$/g, "")
      .toLowerCase(),
  );
}

/**
 * The voices that somebody may have made by hand for a resource: their names begin with its key, and were not
 * generated. Such a name proves nothing, so it is a reason to ask, and never to reuse a voice.
 */
export function voicesByHand(urn: string, listed: readonly { voice: string }[]): string[] {
  const beginnings = keysIn(urn).flatMap((key) => (key.length < shortestKey ? [] : [key.slice(0, 16)]));
  return listed.flatMap(({ voice }) => {
    const name = nameInVoice(voice)?.toLowerCase();
    const isByHand = hasClonedShape(voice) && name !== undefined && !hasGeneratedForm(name);
    return isByHand && beginnings.some((beginning) => name.startsWith(beginning)) ? [voice] : [];
  });
}

export function byHandLine({ name, voices: [voice = "", ...others] }: MadeByHand): string {
  const more = others.length === 0 ? "" : ` (and ${others.length} more with such a name)`;
  return (
    `the account has the voice ${voice}${more}, which no readable state holds and whose name begins with the name of ${name}. ` +
    `To take it over at no cost, set adopt: ${JSON.stringify(voice)}`
  );
}

/** The question before a new stack pays for voices that seem to exist. Undefined for fewer than `fewestResources`. */
export function createQuestion(
  madeByHand: readonly MadeByHand[],
  stack: string,
  { origin, ...price }: VoicePrice & Pick<Question, "origin">,
): Question | undefined {
  if (madeByHand.length < fewestResources) return undefined;
  const examples = madeByHand.slice(0, 5).map(({ name, voices: [voice = ""] }) => `${voice} for ${name}`);
  return {
    ...{ kind: "create", origin, stack },
    uncertain:
      `The stack has no or few voices yet. For ${madeByHand.length} of the stack's resources, the account has voices that ` +
      `somebody may have created by hand: ${examples.join(", ")}${madeByHand.length > 5 ? ", …" : ""}.`,
    yes:
      "the stack creates new voices beside these voices. For these resources alone, that costs at least " +
      voicesCost(madeByHand.length, price),
    otherwise:
      "To take them over at no cost, set adopt: `npx --no-install pulumi-cloudvoice voices --adopt` prints the program.",
  };
}
