import editDistance from "damerau-levenshtein";

/** The most similar of the names, ignoring case. Undefined if none is similar. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll("_", "");
  // Needs O(n²) memory for names of n characters, so names over 100 characters are not compared.
  if (name.length > longestShown) return undefined;
  const [nearest] = names
    .map((each) => ({ each, distance: editDistance(plain(name), plain(each)).steps }))
    .filter(({ each, distance }) => distance <= Math.floor(Math.min(name.length, each.length) / 3))
    .sort((a, b) => a.distance - b.distance);
  return nearest?.each;
}

/** The end of a sentence about an unknown name: `is not an input of CloudVoice; did you mean …?`. */
export function unknownNameReason(name: string, names: readonly string[], what: string): string {
  const nearest = nearestName(name, names);
  return `is not ${what}; ${nearest === undefined ? `the allowed names are ${names.join(", ")}` : `did you mean ${code(nearest)}?`}`;
}

/** A sentence for each unknown name of an object. An undefined value counts as absent. */
export function unknownNames(values: object, names: readonly string[], what: string, place = ""): string[] {
  return Object.entries(values)
    .filter(([name, value]) => value !== undefined && !names.includes(name))
    .map(([name]) => `${code(name)}${place} ${unknownNameReason(name, names, what)}`);
}

/** A name as part of a sentence. */
export function code(name: string): string {
  return `\`${name.length > longestShown ? `${name.slice(0, longestShown)}…` : name}\``;
}

const longestShown = 100;
