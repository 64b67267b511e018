import { resolve } from "node:path";
import { type AudioFacts, audioPlace, mayHoldSecret, uncheckedRecordings } from "../../rules/audio";
import { checkFailure, type CheckFailure } from "../../rules/inputs";
import { checkVoiceInputs } from "../../rules/voice-fields";
import { sizeUp } from "../audio/size-up";

interface Entry {
  values: Record<string, unknown>;
  /** The names of the inputs that are not known yet, or not to be checked. */
  unknown: ReadonlySet<string>;
  secrets?: ReadonlySet<string>;
  extraTargetModels: readonly string[];
}

/** The problems of a voice's inputs that are found without reading its recording. */
export function voiceProblems({ values, unknown, secrets, extraTargetModels }: Entry): CheckFailure[] {
  const audio = unknown.has("audio") ? undefined : factsOf(values.audio);
  return checkVoiceInputs(values, unknown, { audio, extraTargetModels }).map((problem) => {
    // A catalog reports one text, without values of the engine. The reason of a misspelt name begins with the name.
    const { property, reason } = checkFailure({ ...problem, hidden: problem.input === "" }, secrets);
    const isOfFile = property === "audio" && audio !== undefined && !mayHoldSecret(String(values.audio));
    return { property, reason: isOfFile ? `${JSON.stringify(values.audio)} ${reason}` : reason };
  });
}

function factsOf(audio: unknown): AudioFacts | undefined {
  const place = typeof audio === "string" && !process.env[uncheckedRecordings] ? audioPlace(audio) : undefined;
  if (place === undefined || !("path" in place)) return undefined;
  const file = sizeUp(resolve(place.path));
  return "state" in file ? file : undefined;
}
