import { resolve } from "node:path";
import { audioPlace } from "../rules/audio";
import type { Reading } from "./operation";

/** The fields of a voice's inputs that describe its recording. */
const fields = ["audio", "audioSha256", "audioSeconds"];

/** The inputs with the old recording in place of their own. */
export function withRecordingOf<Inputs extends object>(olds: object, news: Inputs): Inputs {
  const others = Object.entries(news).filter(([name]) => !fields.includes(name));
  const recording = Object.entries(olds).filter(([name]) => fields.includes(name));
  return Object.fromEntries([...others, ...recording]) as Inputs;
}

/** Puts the old recording back if `ignoreChanges` names it. The engine puts back its path, but not changed bytes. */
export function keepIgnoredRecording<Inputs extends object>(
  olds: { audio?: unknown },
  news: Inputs,
  ignored: Iterable<string>,
): Inputs {
  const isIgnored = [...ignored].some((path) => ["audio", "audioSha256", "*"].includes(path));
  return isIgnored && olds.audio !== undefined ? withRecordingOf(olds, news) : news;
}

/** Inspects the file that the input `audio` names. Undefined for a URL, and for a value that is not a text. */
export async function recordingOf({ inspectAudio }: Reading, audio: unknown) {
  const place = typeof audio === "string" ? audioPlace(audio) : undefined;
  return place && "path" in place ? inspectAudio(resolve(place.path)) : undefined;
}
