import { isAbsolute } from "node:path";
import { audioPlace } from "../../rules/audio";

/**
 * The mark of a path: a prefix by which `check` detects that `ignoreChanges` names the recording. Workaround: the
 * engine does not pass `ignoreChanges` to a dynamic provider (Pulumi 3.200, @pulumi/pulumi 3.216 to 3.248). The program
 * puts the mark before the path of a recording, and `check` removes the mark before the path is saved. With
 * `ignoreChanges`, the engine passes the saved path instead, which does not have the mark. This also works if a
 * transformation sets the option after the constructor. The marked path names the same file: `.//a.wav` is `a.wav`.
 *
 * A transformation can also set a new path, which does not have the mark either. `check` saves such a path as
 * `./a.wav`, so that a later `check` does not mistake the new path `a.wav` for a saved path.
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
