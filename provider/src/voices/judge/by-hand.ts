import { hasClonedShape, hasGeneratedForm, nameInVoice } from "../../rules/naming";
import { moneyText, type Prices, sumOf } from "../../rules/price";
import type { Question } from "../../rules/question";
import { nameInUrn } from "../../rules/resource-types";

/** A resource that will be created, and the voices of the account that may be made for it by hand. */
export interface MadeByHand {
  name: string;
  voices: string[];
}

/** A shorter key begins the names of too many voices. */
const shortestKey = 3;
/** From this number of resources on, a new stack of voices that exist already is more likely than a coincidence. */
const fewestResources = 3;

/** The key of a voice in a catalog or a set, or the name of a resource of its own, as names of voices are written. */
function keyIn(urn: string): string {
  const name = nameInUrn(urn);
  const key = urn.includes("VoiceSet$")
    ? name.slice(name.search(/[.[]/) + 1)
    : urn.includes("VoiceCatalog$")
      ? name.slice(name.indexOf("-") + 1)
      : name;
  return key
    .replace(/[^0-9A-Za-z]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase();
}

/**
 * The voices that may be made by hand for a resource: a name that begins with the resource's key, and that this package
 * did not generate. A name that a person chose proves nothing, so this is a reason to ask, and never to take a voice.
 */
export function voicesByHand(urn: string, listed: readonly { voice: string }[]): string[] {
  const key = keyIn(urn);
  if (key.length < shortestKey) return [];
  return listed.flatMap(({ voice }) => {
    const name = nameInVoice(voice)?.toLowerCase();
    const isByHand = hasClonedShape(voice) && name !== undefined && !hasGeneratedForm(name);
    return isByHand && name.startsWith(key.slice(0, 16)) ? [voice] : [];
  });
}

/** The warning about such voices. */
export function byHandLine({ name, voices: [voice = "", ...others] }: MadeByHand): string {
  const more = others.length === 0 ? "" : ` (and ${others.length} more of such a name)`;
  return (
    `the account has the voice ${voice}${more}, which no readable state holds and whose name begins with that of ${name}. ` +
    `To take it over at no cost, set adopt: ${JSON.stringify(voice)}`
  );
}

/** The question before a new stack pays for voices that the account seems to have. Undefined if they are few. */
export function createQuestion(
  found: readonly MadeByHand[],
  stack: string,
  { origin, voicePrice, currency }: Pick<Prices, "voicePrice" | "currency"> & { origin: string | undefined },
): Question | undefined {
  if (found.length < fewestResources) return undefined;
  const examples = found.slice(0, 5).map(({ name, voices: [voice = ""] }) => `${voice} for ${name}`);
  return {
    ...{ kind: "create", origin, stack },
    uncertain:
      `The stack has no voices yet, or few, and the account has voices that may be made by hand for ${found.length} of ` +
      `its resources: ${examples.join(", ")}${found.length > 5 ? ", …" : ""}.`,
    yes:
      "the voices of this stack are created beside them, and paid for: for these resources at least " +
      moneyText(sumOf(Array<number>(found.length).fill(voicePrice)), currency),
    otherwise:
      "To take them over at no cost, set adopt: `npx --no-install pulumi-cloudvoice voices --adopt` prints the program.",
  };
}
