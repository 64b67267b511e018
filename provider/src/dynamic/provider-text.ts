import { isAbsolute } from "node:path";
import type { ProvidedResource } from "../rules/resource-types";
import { audioPlace } from "../rules/audio";

export const packageName = "pulumi-cloudvoice";

/**
 * The text by which the engine finds the code of a dynamic resource. The text never changes, because every saved state
 * contains it, and later releases must be able to read and delete the resources of these states. The text is short,
 * because the state contains it twice for each resource, and the engine writes the whole state at every step.
 */
export function providerText(resource: ProvidedResource): string {
  const load = `require("${packageName}/provider").${resource}`;
  // Without the package, e.g. at a `destroy` on a new runner, Pulumi prints message and stack for each resource. The
  // message says which package is missing; this advice takes the place of the stack.
  // @persisted
  return `exports.handler=()=>{try{return ${load}}catch(e){e.stack='Run \`npm install\`';throw e}}`;
}

/**
 * The mark of a path: a prefix by which `check` detects that `ignoreChanges` names the recording. Workaround: the
 * engine does not pass `ignoreChanges` to a dynamic provider (Pulumi 3.200, @pulumi/pulumi 3.216 to 3.248). The program
 * marks the path of a recording, and `check` removes the mark before the path is saved. With `ignoreChanges`, even if a
 * transformation adds it, the engine passes the saved path instead, without the mark. The marked path names the same
 * file: `.//a.wav` is `a.wav`.
 *
 * A transformation can also set a new path without the mark. `check` saves `a.wav` as `./a.wav`, so that a later
 * `check` does not take that path for the saved one.
 */
const mark = ".//";

export function markPath(path: string): string {
  return mark + path;
}

/** Returns the path as the program gives it. Undefined for a text without the mark. */
export function unmarkedPath(audio: string): string | undefined {
  return audio.startsWith(mark) ? audio.slice(mark.length) : undefined;
}

/** Returns the path as the state keeps it, without the mark. */
export function savedPath(audio: string): string {
  const path = unmarkedPath(audio);
  if (path !== undefined) return path;
  return isAbsolute(audio) || !("path" in audioPlace(audio)) ? audio : `./${audio}`;
}
