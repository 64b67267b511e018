/** The known name that is most like the given one, in any case of letters; undefined if none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll("_", "");
  // Comparing takes as much memory as the two are long, multiplied.
  if (name.length > longestShown) return undefined;
  const [nearest] = known
    .map((each) => ({ each, distance: editDistance(plain(name), plain(each)) }))
    .filter(({ each, distance }) => distance <= Math.floor(Math.min(name.length, each.length) / 3))
    .sort((a, b) => a.distance - b.distance);
  return nearest?.each;
}

/** How many letters must be added, removed, changed or swapped with their neighbour to make one text the other. */
function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  const cells = Array.from({ length: width }, (_, column) => column);
  const at = (row: number, column: number) => cells[row * width + column] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    cells.push(i);
    for (let j = 1; j <= b.length; j++) {
      const changed = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      cells.push(Math.min(changed, at(i - 1, j) + 1, at(i, j - 1) + 1, isSwap ? at(i - 2, j - 2) + 1 : Infinity));
    }
  }
  return at(a.length, b.length);
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
