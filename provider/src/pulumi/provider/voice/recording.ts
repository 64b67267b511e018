import { resolve } from "node:path";
import { audioPlace, looksSigned } from "../../../rules/audio";
import type { Operation } from "../operation";

/** The facts of the file that `audio` names; undefined for a URL. */
export async function audioFile({ inspectAudio }: Operation, audio: unknown) {
  if (typeof audio !== "string") return undefined;
  const place = audioPlace(audio);
  return "path" in place ? inspectAudio(resolve(place.path)) : undefined;
}

export function warnOfSignedUrl({ log }: Operation, audio: unknown): void {
  if (typeof audio !== "string" || !/^https?:/i.test(audio) || !looksSigned(audio)) return;
  const { origin, pathname } = new URL(audio);
  log.warn(
    `the audio URL ${origin}${pathname} looks signed: it will have expired when the voice has to be created again`,
  );
}
