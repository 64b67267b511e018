import { type AudioFacts, audioFault, audioPlace } from "./audio";
import { generateName, type Identity, longestName, nameVersion } from "./naming";
import { isOneOf } from "./settings";

/** Contract 4.2, `input.target_model`. */
export const targetModels = ["svc3-tts-vc-realtime-2026-01-15", "svc3-tts-vc-realtime-2025-11-27", "svc3-tts-vc-2026-01-22"] as const;
/** Contract 4.2, `input.language`. */
export const languages = ["zh", "en", "de", "it", "pt", "es", "ja", "ko", "fr", "ru"] as const;

export type TargetModel = (typeof targetModels)[number];
export type Language = (typeof languages)[number];
export type Trigger = string | number | boolean;

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

export interface Failure {
  property: string;
  reason: string;
}

type Raw<T> = { [K in keyof T]?: unknown };

/** Every fault of the inputs, each at its property. Inputs not yet known are not in `inputs` and named in `unknown`. */
export function voiceFailures(
  inputs: Raw<VoiceInputs>,
  unknown: ReadonlySet<string>,
  audio: AudioFacts | undefined,
  extraTargetModels: readonly string[],
): Failure[] {
  const failures: Failure[] = [];
  const fail = (property: keyof VoiceInputs, reason: string) => failures.push({ property, reason });
  const required = (property: "targetModel" | "audio") => {
    if (inputs[property] === undefined && !unknown.has(property)) fail(property, "is required");
  };

  required("targetModel");
  const models = [...targetModels, ...extraTargetModels];
  if (inputs.targetModel !== undefined && !isOneOf(models, inputs.targetModel)) {
    fail("targetModel", `is ${show(inputs.targetModel)}; allowed: ${models.join(", ")}; for a newer one set cloudvoice:extraTargetModels`);
  }

  required("audio");
  if (inputs.audio !== undefined) {
    const place = typeof inputs.audio === "string" ? audioPlace(inputs.audio) : { fault: "must be a path, a URL, a FileAsset or a RemoteAsset" };
    const fault = "fault" in place ? place.fault : audio && audioFault(audio);
    if (fault) fail("audio", fault);
  }

  const name = inputs.preferredName;
  if (name !== undefined && (typeof name !== "string" || !/^[0-9A-Za-z_]{1,16}$/.test(name))) {
    const length = typeof name === "string" ? `, ${name.length} characters` : "";
    fail("preferredName", `is ${show(name)}${length}; allowed: 1 to ${longestName} digits, letters (a–z) and underscores`);
  }
  if (inputs.language !== undefined && !isOneOf(languages, inputs.language)) {
    fail("language", `is ${show(inputs.language)}; allowed: ${languages.join(", ")}`);
  }
  // The text may be a secret, so its value is not shown.
  if (inputs.text !== undefined && typeof inputs.text !== "string") failures.push(hiddenFailure("text", "must be a text"));
  if (inputs.adopt !== undefined && (typeof inputs.adopt !== "string" || inputs.adopt.trim() === "")) {
    fail("adopt", "must be the name of an existing voice");
  }
  const triggersFault = triggersFaultOf(inputs.triggers);
  if (triggersFault) fail("triggers", triggersFault);
  return failures;
}

/** A fault of what may be secret: the engine shows the value of a named property, so none is named. */
export function hiddenFailure(property: string, reason: string): Failure {
  return { property: "", reason: `${property} ${reason}` };
}

export function triggersFaultOf(triggers: unknown): string | undefined {
  const right = triggers === undefined || (Array.isArray(triggers) && triggers.every((entry) => ["string", "number", "boolean"].includes(typeof entry)));
  return right ? undefined : "must be a list of texts, numbers and booleans";
}

/** The name to keep or to give. Undefined while something that it depends on is not known yet. */
export function chooseName(
  inputs: Raw<VoiceInputs>,
  unknown: ReadonlySet<string>,
  audioIdentity: string | undefined,
  identity: Identity | undefined,
  olds: Partial<CheckedVoice>,
): Pick<CheckedVoice, "preferredName" | "nameVersion"> | undefined {
  if (typeof inputs.preferredName === "string") return { preferredName: inputs.preferredName };
  if (unknown.has("preferredName")) return undefined;
  // A name is chosen at creation only; the engine hands over the old inputs for every voice that exists.
  if (olds.preferredName !== undefined) {
    return { preferredName: olds.preferredName, ...(olds.nameVersion !== undefined && { nameVersion: olds.nameVersion }) };
  }
  const waits = ["targetModel", "text", "language", "triggers", "identity"].some((field) => unknown.has(field));
  if (waits || audioIdentity === undefined || identity === undefined) return undefined;
  const content = { ...inputs, audio: audioIdentity } as { targetModel: string; audio: string };
  return { preferredName: generateName(identity, content), nameVersion };
}

const replacing = ["targetModel", "preferredName", "text", "language", "triggers"] as const;

/** What makes another voice of it. `unknown` fields may differ when they are known, so they count. */
export function voiceReplacements(olds: Partial<CheckedVoice>, news: Partial<CheckedVoice>, unknown: ReadonlySet<string>): string[] {
  const replaces: string[] = replacing.filter((field) => unknown.has(field) || !same(olds[field], news[field]));
  if (unknown.has("audio")) replaces.push("audio");
  else if (olds.audioSha256 !== undefined && news.audioSha256 !== undefined) {
    if (olds.audioSha256 !== news.audioSha256) replaces.push("audioSha256");
  } else if (olds.audio !== news.audio) replaces.push("audio");
  return replaces;
}

/** What is written into the state anew, at no cost: the path to the same bytes, and `adopt`. */
export function voiceUpdates(olds: Partial<CheckedVoice>, news: Partial<CheckedVoice>): boolean {
  return (["audio", "adopt"] as const).some((field) => olds[field] !== news[field]);
}

/** A voice that was taken over is not silently replaced by a paid one. */
export function adoptFailure(olds: Partial<CheckedVoice>, news: Partial<CheckedVoice>, replaces: readonly string[]): Failure | undefined {
  if (olds.adopt === undefined || news.adopt === undefined || replaces.length === 0) return undefined;
  const reason =
    `is set, and ${replaces.join(", ")} changed: that would pay for a new voice and delete the one taken over. ` +
    "If you want that, take adopt out; if not, undo the change";
  return { property: "adopt", reason };
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
