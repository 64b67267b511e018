import { isAbsolute } from "node:path";
import { audioPlace } from "../../rules/audio";

/**
 * Marks the path of a recording. Workaround: with Pulumi 3.200 and @pulumi/pulumi 3.216 to 3.248, a dynamic provider
 * gets no `ignoreChanges`. The program puts the mark before the path, and `check` removes it. With `ignoreChanges`, the
 * engine gives `check` the old input, without a mark. So a path without the mark shows that changes of the recording
 * are ignored, however the program set the option, e.g. by a transformation after the constructor. The mark changes no
 * meaning: `.//a.wav` is the file `a.wav`. A new path that a transformation sets has no mark either. It is saved as
 * `./a.wav`, so that it differs from an old input that the engine puts back.
 */
const mark = ".//";

export function markPath(path: string): string {
  return mark + path;
}

/** Returns the path as the state keeps it, without the mark. */
export function savedPath(audio: string): string {
  if (audio.startsWith(mark)) return audio.slice(mark.length);
  return isAbsolute(audio) || !("path" in audioPlace(audio)) ? audio : `./${audio}`;
}
