import { looksGenerated, nameOfVoice } from "../rules/naming";
import type { ShownVoice } from "./listing";
import { jsonOf } from "./review/forms";

/**
 * Returns the entries of a catalog that adopt these voices, as JSON. The user adds the recordings. The key of a voice is
 * its name. If several voices have one name, the keys of all but the first get a number. So does a name such as
 * `__proto__` or `toString`, which every object in JavaScript has.
 */
export function adoptingEntries(rows: ShownVoice[]): string {
  const used = new Set(Object.getOwnPropertyNames(Object.prototype));
  const named = rows.map((row) => ({ name: row.name === "" ? "voice" : row.name, row }));
  named.sort((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }));
  const entries = named.map(({ name, row: { voice, targetModel } }) => {
    let key = name;
    for (let number = 2; used.has(key); number++) key = `${name}_${number}`;
    used.add(key);
    return [key, { targetModel, audio: `audio/${key}.wav`, adopt: voice }];
  });
  return jsonOf(Object.fromEntries(entries));
}

/** A line about the voices with generated names, which `adopt` asks about. Undefined if there are none. */
export function generatedHint(rows: ShownVoice[]): string | undefined {
  const { length } = rows.filter(({ voice }) => looksGenerated(nameOfVoice(voice)));
  if (length === 0) return undefined;
  return (
    `A stack of this package created ${length} of these, and deletes each voice it replaces. ` +
    "An update asks before it adopts one."
  );
}
