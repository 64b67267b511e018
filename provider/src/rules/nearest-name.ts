import editDistance from "damerau-levenshtein";

/** The known name that is most like the given one, in any case of letters; undefined if none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll("_", "");
  // Comparing takes as much memory as the longer one has letters, squared.
  if (name.length > longestShown) return undefined;
  const [nearest] = known
    .map((each) => ({ each, distance: editDistance(plain(name), plain(each)).steps }))
    .filter(({ each, distance }) => distance <= Math.floor(Math.min(name.length, each.length) / 3))
    .sort((a, b) => a.distance - b.distance);
  return nearest?.each;
}

/** Follows an unknown name in a sentence: `is not an input of CloudVoice; did you mean …?`. */
export function unknownNameReason(name: string, known: readonly string[], what: string): string {
  const nearest = nearestName(name, known);
  return `is not ${what}; ${nearest === undefined ? `it has ${known.join(", ")}` : `did you mean ${code(nearest)}?`}`;
}

/** The names of an object that are not known, each as a sentence. A value that is undefined counts as left out. */
export function unknownNames(given: object, known: readonly string[], what: string, place = ""): string[] {
  return Object.entries(given)
    .filter(([name, value]) => value !== undefined && !known.includes(name))
    .map(([name]) => `${code(name)}${place} ${unknownNameReason(name, known, what)}`);
}

/** A name in a sentence. */
export function code(name: string): string {
  return `\`${name.length > longestShown ? `${name.slice(0, longestShown)}…` : name}\``;
}

const longestShown = 100;
