import { type AudioFacts, audioFault, audioPlace } from "./audio";
import { changedFields, type Failure, type Fields, quoted, textFault, type Trigger, triggersField } from "./fields";
import { generateName, type Identity, longestName, nameVersion } from "./naming";
import { isOneOf } from "./settings";

/** Contract 4.2, `input.target_model`. */
export const targetModels = [
  "svc3-tts-vc-realtime-2026-01-15",
  "svc3-tts-vc-realtime-2025-11-27",
  "svc3-tts-vc-2026-01-22",
] as const;
/** Contract 4.2, `input.language`. */
export const languages = ["zh", "en", "de", "it", "pt", "es", "ja", "ko", "fr", "ru"] as const;

export type TargetModel = (typeof targetModels)[number];
export type Language = (typeof languages)[number];

/** What the program declares of a voice, as it stands in the state. */
export interface VoiceInputs {
  targetModel: TargetModel | (string & {});
  audio: string;
  preferredName?: string;
  text?: string;
  language?: Language;
  triggers?: Trigger[];
  adopt?: string;
}

/** What the check adds: the state's own account of the audio and of who chose the name. */
export interface CheckedVoice extends VoiceInputs {
  preferredName: string;
  audioSha256?: string;
  audioSeconds?: number;
  /** The formula that generated the name. Absent when the program chose it. */
  nameVersion?: number;
}

/** What the service and the creation add. */
export interface VoiceOutputs extends CheckedVoice {
  voice: string;
  createdAt?: string | undefined;
  degraded: boolean;
  degradedReason?: string | undefined;
  adopted: boolean;
  requestId?: string | undefined;
  /** Fingerprint of the account that holds the voice. */
  account: string;
}

interface VoiceFacts {
  /** What the audio file is; undefined for a URL. */
  audio: AudioFacts | undefined;
  extraTargetModels: readonly string[];
}

export const voiceFields: Fields<VoiceInputs, VoiceFacts> = {
  targetModel: {
    change: "replaces",
    required: true,
    fault(value, { extraTargetModels }) {
      const models = [...targetModels, ...extraTargetModels];
      return isOneOf(models, value)
        ? undefined
        : `is ${quoted(value)}; allowed: ${models.join(", ")}; for a newer one set cloudvoice:extraTargetModels`;
    },
  },
  audio: {
    // Of the same bytes; other bytes replace (voiceReplacements).
    change: "updates",
    required: true,
    fault(value, { audio }) {
      const place =
        typeof value === "string"
          ? audioPlace(value)
          : { fault: "must be a path, a URL, a FileAsset or a RemoteAsset" };
      return "fault" in place ? place.fault : audio && audioFault(audio);
    },
  },
  preferredName: {
    change: "replaces",
    fault(value) {
      if (typeof value === "string" && /^[0-9A-Za-z_]{1,16}$/.test(value)) return undefined;
      const odd = typeof value === "string" ? [...new Set(value.match(/[^0-9A-Za-z_]/gu))].map(quoted).join(", ") : "";
      const found = typeof value !== "string" ? "" : odd === "" ? `, ${value.length} characters` : `, with ${odd}`;
      return `is ${quoted(value)}${found}; allowed: 1 to ${longestName} digits, letters (a–z) and underscores`;
    },
  },
  text: { change: "replaces", hidden: true, fault: textFault },
  language: {
    change: "replaces",
    fault: (value) => (isOneOf(languages, value) ? undefined : `is ${quoted(value)}; allowed: ${languages.join(", ")}`),
  },
  triggers: triggersField,
  adopt: {
    change: "updates",
    fault: (value) =>
      typeof value === "string" && value.trim() !== "" ? undefined : "must be the name of an existing voice",
  },
};

/** The name to keep or to give. Undefined while something that it depends on is not known yet. */
export function chooseName(
  inputs: { readonly [K in keyof VoiceInputs]?: unknown },
  unknown: ReadonlySet<string>,
  audioIdentity: string | undefined,
  identity: Identity | undefined,
  olds: Partial<CheckedVoice>,
): Pick<CheckedVoice, "preferredName" | "nameVersion"> | undefined {
  if (typeof inputs.preferredName === "string") return { preferredName: inputs.preferredName };
  if (unknown.has("preferredName")) return undefined;
  // A name is chosen at creation only; the engine hands over the old inputs for every voice that exists.
  if (olds.preferredName !== undefined) {
    return {
      preferredName: olds.preferredName,
      ...(olds.nameVersion !== undefined && { nameVersion: olds.nameVersion }),
    };
  }
  const waits = ["targetModel", "text", "language", "triggers", "identity"].some((field) => unknown.has(field));
  if (waits || audioIdentity === undefined || identity === undefined) return undefined;
  const content = { ...inputs, audio: audioIdentity } as { targetModel: string; audio: string };
  return { preferredName: generateName(identity, content), nameVersion };
}

/** What makes another voice of it. `unknown` fields may differ when they are known, so they count. */
export function voiceReplacements(
  olds: Partial<CheckedVoice>,
  news: Partial<CheckedVoice>,
  unknown: ReadonlySet<string>,
): string[] {
  return [...changedFields(voiceFields, "replaces", olds, news, unknown), ...audioReplacements(olds, news, unknown)];
}

/** Files are told apart by their bytes, everything else by its place. */
function audioReplacements(
  olds: Partial<CheckedVoice>,
  news: Partial<CheckedVoice>,
  unknown: ReadonlySet<string>,
): string[] {
  if (unknown.has("audio")) return ["audio"];
  if (olds.audioSha256 !== undefined && news.audioSha256 !== undefined)
    return olds.audioSha256 === news.audioSha256 ? [] : ["audioSha256"];
  return olds.audio === news.audio ? [] : ["audio"];
}

/** A voice that was taken over is not silently replaced by a paid one. */
export function adoptFailure(
  olds: Partial<CheckedVoice>,
  news: Partial<CheckedVoice>,
  replaces: readonly string[],
): Failure | undefined {
  if (olds.adopt === undefined || news.adopt === undefined || replaces.length === 0) return undefined;
  const reason =
    `is set, and ${replaces.join(", ")} changed: that would pay for a new voice and delete the one taken over. ` +
    "If you want that, take adopt out; if not, undo the change";
  return { property: "adopt", reason };
}
