import { isAbsolute } from "node:path";
import { audioPlace } from "../../rules/audio";

/**
 * Workaround: with Pulumi 3.200 and @pulumi/pulumi 3.216 to 3.248, a dynamic provider gets no `ignoreChanges`.
 * The program puts this before the path of a recording, and `check` removes it. With `ignoreChanges`, the engine passes
 * the old input to `check` in place of the program's, and does not report it. So a path without the mark shows that
 * changes of the recording are ignored, however the program set the option: a transformation may set it after the
 * constructor has run. The mark changes no meaning: `.//a.wav` is the file `a.wav`. A path that a transform set has no
 * mark either, so it is saved as `./a.wav`: then it differs from the old input that the engine puts back.
 */
const mark = ".//";

export function markPath(path: string): string {
  return mark + path;
}

/** Removes the mark, which gives the form that the state keeps. */
export function savedPath(audio: string): string {
  if (audio.startsWith(mark)) return audio.slice(mark.length);
  return isAbsolute(audio) || !("path" in audioPlace(audio)) ? audio : `./${audio}`;
}
