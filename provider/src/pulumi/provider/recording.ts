import { resolve } from "node:path";
import { audioPlace } from "../../rules/audio";
import type { Operation } from "./operation";

/** Inspects the file that the input `audio` names. Undefined for a URL, and for a value that is not a text. */
export async function recordingOf({ inspectAudio }: Pick<Operation, "inspectAudio">, audio: unknown) {
  const place = typeof audio === "string" ? audioPlace(audio) : undefined;
  return place && "path" in place ? inspectAudio(resolve(place.path)) : undefined;
}
