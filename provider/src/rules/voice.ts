import type { z } from "zod";
import { changedInputs } from "./inputs";
import { withoutSignature } from "./public-url";
import { type VoiceInputs, voiceInputs, type voiceOutputs } from "./voice-fields";

type Outputs = z.infer<typeof voiceOutputs>;
type CheckedFacts = Pick<Outputs, "preferredName" | "audioSha256" | "audioSeconds" | "nameVersion" | "noteName">;

/** The inputs after `check`, with facts about the recording and the name. */
export interface CheckedVoice extends Omit<VoiceInputs, keyof CheckedFacts>, CheckedFacts {}

/** The state of a voice: its inputs, and facts from the service and the create. */
export interface VoiceOutputs extends Omit<VoiceInputs, keyof Outputs>, Outputs {}

/** The state of an adopted voice with its declared values instead of the true ones, to compare with new inputs. */
export function asDeclared({ adoptedWith, ...state }: Partial<VoiceOutputs>): Partial<CheckedVoice> {
  return { ...state, ...adoptedWith };
}

/** A voice of the account, as its list or the response to its create shows it. Only that response has all fields. */
export interface ListedVoice extends Partial<
  Pick<VoiceOutputs, "createdAt" | "degraded" | "degradedReason" | "requestId">
> {
  voice: string;
  /** The model of the voice. Empty if the list does not state it. */
  targetModel: string;
  /**
   * The creation time in ISO 8601, if the list or the voice's name contains it in a known format. Otherwise the text in
   * the list.
   */
  createdAt?: string | undefined;
}

/** Whether this package generated the name, so that it identifies the resource and its content. */
export function hasGeneratedName({ nameVersion }: { nameVersion?: unknown }): boolean {
  return nameVersion !== undefined;
}

/** The path of a recording, or its URL without a signature. Undefined if `audio`, e.g. of a preview, is no text. */
export function recordingPlace({ audio }: { audio?: unknown }): string | undefined {
  return typeof audio === "string" ? withoutSignature(audio) : undefined;
}

/**
 * The inputs whose change replaces the voice. An unknown input counts, because it may differ once it is known. Files
 * are compared by their bytes; other recordings by their path, or URL without a signature. Generated names are not
 * compared: only other content makes another voice.
 */
export function voiceReplacements(
  olds: Partial<CheckedVoice>,
  news: Partial<CheckedVoice>,
  unknown: ReadonlySet<string>,
): string[] {
  const areGenerated = hasGeneratedName(olds) && hasGeneratedName(news);
  const changed = changedInputs(voiceInputs, "replaces", olds, news, unknown);
  const others = changed.filter((name) => name !== "preferredName" || !areGenerated);
  const areFiles = olds.audioSha256 !== undefined && news.audioSha256 !== undefined;
  const isMoved = !areFiles && recordingPlace(olds) !== recordingPlace(news);
  if (isMoved || unknown.has("audio")) return [...others, "audio"];
  return areFiles && olds.audioSha256 !== news.audioSha256 ? [...others, "audioSha256"] : others;
}

/** The inputs whose change is free. A new signature of a URL is no change. */
export function voiceUpdates(
  olds: Partial<CheckedVoice>,
  news: Partial<CheckedVoice>,
  unknown: ReadonlySet<string>,
): string[] {
  const unsigned = (voice: Partial<CheckedVoice>) => ({ ...voice, audio: recordingPlace(voice) });
  return changedInputs(voiceInputs, "updates", unsigned(olds), unsigned(news), unknown);
}

/** Why this change of an adopted voice is refused: it would pay for a new voice and no longer use the adopted one. */
export function adoptedReplacementProblem(
  olds: Partial<CheckedVoice>,
  news: Partial<CheckedVoice>,
  replacements: readonly string[],
): string | undefined {
  if (olds.adopt === undefined || news.adopt === undefined || replacements.length === 0) return undefined;
  return (
    `is set, and ${replacements.join(", ")} changed: that would pay for a new voice, and leave the adopted one in the account. ` +
    "If you want that, take adopt out; if not, undo the change"
  );
}
