import { shellQuoted } from "../shell-quoted";
import { movable } from "./preview-lines";
import { withoutSignature } from "./public-url";
import { nameInUrn, withoutKey } from "./resource-types";
import { pathParts } from "./voice-set";

/*
 * Moves of voices between a `VoiceSet` and other resources. A move in the state is free. An update would pay for the
 * voices again.
 */

/** The key of a set's entry, by its URN. Undefined for any other resource. */
export function keyInSet(urn: string): string | undefined {
  return pathParts(urn.slice(withoutKey(urn).length))[0];
}

/** A move of a voice into a set or out of it. */
export interface SetMove {
  into: boolean;
  set: string;
  /** The catalog at the other end of the move. Undefined for a voice outside a catalog. */
  catalog: string | undefined;
}

/**
 * The move that would keep a voice: from `existing` to `created`, which has no voice yet. Undefined unless one of them
 * is an entry of a set, and the other a resource with the same key.
 */
export function setMove(created: string, existing: string): SetMove | undefined {
  return moveOf(true, created, existing) ?? moveOf(false, existing, created);
}

function moveOf(into: boolean, entry: string, voice: string): SetMove | undefined {
  const key = keyInSet(entry);
  if (key === undefined || keyInSet(voice) !== undefined) return undefined;
  const name = nameInUrn(voice);
  const isOfCatalog = voice.includes("VoiceCatalog$") && name.endsWith(`-${key}`);
  if (!isOfCatalog && name !== key) return undefined;
  return { into, set: nameInUrn(withoutKey(entry)), catalog: isOfCatalog ? name.slice(0, -1 - key.length) : undefined };
}

/** A voice and its recording. An imported voice has an unknown recording, which matches any. */
export interface PlacedVoice {
  urn: string;
  audio?: unknown;
  audioSha256?: unknown;
}

/**
 * Finds the move of an existing voice in place of a new one. Indexed by recording, so each of a thousand voices is
 * compared with few.
 */
export function setMoves<T extends PlacedVoice>(existing: readonly T[]) {
  const byRecording = new Map<unknown, T[]>();
  for (const each of existing) {
    const recording = each.audioSha256 ?? placeOf(each);
    byRecording.set(recording, [...(byRecording.get(recording) ?? []), each]);
  }
  return (created: PlacedVoice, isSame: (candidate: T) => boolean = () => true): SetMove | undefined => {
    for (const recording of new Set([created.audioSha256, placeOf(created), undefined]))
      for (const candidate of byRecording.get(recording) ?? []) {
        const move = setMove(created.urn, candidate.urn);
        if (move !== undefined && isSame(candidate)) return move;
      }
    return undefined;
  };
}

const placeOf = ({ audio }: PlacedVoice) => (typeof audio === "string" ? withoutSignature(audio) : undefined);

/** What to do in place of an update that pays for the voices again. `voices`: for example `61 voices`. */
export function moveLine({ into, set, catalog }: SetMove, voices: string, stack: string): string {
  if (!into)
    return movable.write(
      `\`pulumi-cloudvoice move\`, or an update, has turned ${voices} into entries of the set ${set} in the state`,
      "the program declares them outside of the set: they would be paid for again. Write VoiceSet in the program. To undo a " +
        "move, run `pulumi stack import --file <path>` with the path of the old state, which `move` printed",
    );
  if (catalog !== undefined && catalog !== set)
    return movable.write(
      `the entries of the set ${set} can keep ${voices} at no cost, each with the name of its voice in \`adopt\`, in the update ` +
        `that removes them from the catalog ${catalog}: the state has them outside of the set`,
      "they would be paid for again",
    );
  return movable.write(
    `\`npx --no-install pulumi-cloudvoice move ${catalog === undefined ? `${shellQuoted(set)} --flat` : shellQuoted(catalog)} --stack ${shellQuoted(stack)}\` keeps ${voices} at no cost, if it runs before ` +
      `the update: the state has them outside of the set ${set}`,
    "they would be paid for again",
  );
}
