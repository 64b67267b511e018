import { type AudioFacts, mayHoldSecret, uncheckedRecordings } from "../../rules/audio";
import { checkFailure, type CheckFailure } from "../../rules/inputs";
import { checkVoiceInputs } from "../../rules/voice-fields";
import { recordingFile, sizeUp } from "../audio/size-up";

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
  const file = process.env[uncheckedRecordings] ? undefined : recordingFile(audio);
  const facts = file === undefined ? undefined : sizeUp(file);
  return facts && "state" in facts ? facts : undefined;
}
