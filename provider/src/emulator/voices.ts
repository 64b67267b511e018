import { createHash, randomInt } from "node:crypto";
import { z } from "zod";
import { audioFault, type AudioKind, encodedLength, isTooLong, mediaTypes } from "../rules/audio";
import { languages, targetModels } from "../rules/voice";
import { measure } from "../service/audio/measure";
import type { VoiceRow } from "./ledger";
import { invalid, type Outcome } from "./outcome";

export interface VoiceRules {
  voiceQuota: number;
  /** The most rows that a page gives, whatever is asked. */
  largestPage: number;
  listTotals: boolean;
  extraTargetModels: string[];
  /** Status of the quota error: the service is seen to use both. */
  quotaStatus: 400 | 429;
  /** Every n-th voice is degraded; 0: none. */
  degradeEvery: number;
}

const page = z.number().int().min(0).max(1_000_000);
const requests = {
  create: z.strictObject({
    action: z.literal("create"),
    target_model: z.string(),
    preferred_name: z.string(),
    audio: z.strictObject({ data: z.string() }),
    text: z.string().optional(),
    language: z.enum(languages).optional(),
  }),
  list: z.strictObject({ action: z.literal("list"), page_index: page.default(0), page_size: page.default(10) }),
  delete: z.strictObject({ action: z.literal("delete"), voice: z.string() }),
};
const envelope = z.strictObject({
  model: z.literal("svc-voice-enrollment"),
  input: z.looseObject({ action: z.enum(["create", "list", "delete"]) }),
});

export type VoiceAction = "create" | "list" | "delete";

export function voiceAction(body: unknown): VoiceAction | undefined {
  return envelope.safeParse(body).data?.input.action;
}

/** Contract 4.2 to 4.4. */
export async function answerVoiceCall(
  body: unknown,
  voices: Map<string, VoiceRow>,
  rules: VoiceRules,
  nowMs: number,
): Promise<Outcome> {
  const whole = envelope.safeParse(body);
  if (!whole.success) return invalid(z.prettifyError(whole.error));
  const action = whole.data.input.action;
  const parsed = requests[action].safeParse(whole.data.input);
  if (!parsed.success) return invalid(z.prettifyError(parsed.error));
  switch (parsed.data.action) {
    case "create":
      return create(parsed.data, voices, rules, nowMs);
    case "list":
      return list(parsed.data, voices, rules);
    case "delete":
      return remove(parsed.data.voice, voices);
  }
}

async function create(
  input: z.infer<typeof requests.create>,
  voices: Map<string, VoiceRow>,
  rules: VoiceRules,
  nowMs: number,
): Promise<Outcome> {
  if (![...targetModels, ...rules.extraTargetModels].includes(input.target_model))
    return invalid(`unknown target_model ${input.target_model}`);
  if (!/^[0-9A-Za-z_]{1,16}$/.test(input.preferred_name))
    return invalid("preferred_name: up to 16 digits, letters, underscores");
  const audio = await judgeAudio(input.audio.data);
  if ("code" in audio) return { status: 400, ...audio };
  // The match of text and audio can't be heard here; a text that says so stands for one that does not match.
  if (input.text !== undefined && /does not match/i.test(input.text)) {
    return { status: 400, code: "Audio.PreprocessError", message: "The text differs significantly from the audio." };
  }
  if (voices.size >= rules.voiceQuota) {
    return {
      status: rules.quotaStatus,
      code: "Throttling.AllocationQuota",
      message: `Allocated quota of ${rules.voiceQuota} voices exceeded.`,
    };
  }
  const voice = newVoice(input.preferred_name, input.target_model, nowMs);
  const degraded = rules.degradeEvery > 0 && (voices.size + 1) % rules.degradeEvery === 0;
  // At once: another create may be judged before this one is written into the ledger.
  voices.set(voice.voice, voice);
  return {
    status: 200,
    output: {
      voice: voice.voice,
      target_model: voice.targetModel,
      ...(degraded && { fallback_mode: true, fallback_reason: "noisy audio" }),
    },
    usage: { count: 1 },
    charge: 0.01,
    effect: { voice: { ...voice, ...(input.language && { language: input.language }), ...audio } },
  };
}

// Counts on from a random start: voices of one name and one millisecond still differ.
let suffix = randomInt(0x10000);

/** A voice name of the service's shape: prefix, name, `-voice-`, 17 digits of time, four of chance (contract 2.1). */
export function newVoice(preferredName: string, targetModel: string, nowMs: number): VoiceRow {
  const iso = new Date(nowMs).toISOString();
  suffix = (suffix + 1) % 0x10000;
  const voice = `svc-tts-vc-${preferredName}-voice-${iso.replace(/\D/g, "")}-${suffix.toString(16).padStart(4, "0")}`;
  return { voice, targetModel, gmtCreate: iso.slice(0, 19).replace("T", " "), preferredName };
}

function list(input: z.infer<typeof requests.list>, voices: Map<string, VoiceRow>, rules: VoiceRules): Outcome {
  const size = Math.min(input.page_size, rules.largestPage);
  const rows = [...voices.values()].reverse().slice(input.page_index * size, (input.page_index + 1) * size);
  return {
    status: 200,
    output: {
      voice_list: rows.map((row) => ({ voice: row.voice, gmt_create: row.gmtCreate, target_model: row.targetModel })),
      ...(rules.listTotals && { page_index: input.page_index, page_size: size, total_count: voices.size }),
    },
    usage: { count: 0 },
  };
}

function remove(voice: string, voices: Map<string, VoiceRow>): Outcome {
  if (!voices.has(voice))
    return { status: 400, code: "BadRequest.VoiceNotFound", message: `Voice ${voice} not found.` };
  return { status: 200, output: {}, usage: { count: 0 }, effect: { deleted: voice } };
}

type JudgedAudio = { audioSha256?: string } | { code: string; message: string };

const judged = new Map<string, Promise<JudgedAudio>>();

async function judgeAudio(data: string): Promise<JudgedAudio> {
  if (/^https?:\/\//i.test(data))
    return URL.canParse(data) ? {} : { code: "InvalidURL", message: "The audio URL is not valid." };
  const match = /^data:([a-z0-9/+.-]+);base64,/i.exec(data);
  const kind = (Object.keys(mediaTypes) as AudioKind[]).find((known) => mediaTypes[known] === match?.[1]);
  if (!match || !kind)
    return {
      code: "Audio.DecoderError",
      message: "The audio is neither a URL nor a data URL of audio/wav, audio/mpeg or audio/mp4.",
    };
  const bytes = Buffer.from(data.slice(match[0].length), "base64");
  const audioSha256 = createHash("sha256").update(bytes).digest("hex");
  const key = `${kind} ${audioSha256}`;
  let verdict = judged.get(key);
  if (!verdict) judged.set(key, (verdict = judgeBytes(bytes, kind, audioSha256)));
  return verdict;
}

async function judgeBytes(bytes: Buffer, kind: AudioKind, audioSha256: string): Promise<JudgedAudio> {
  if (encodedLength(bytes.length) >= 10_000_000)
    return { code: "InvalidParameter", message: "The audio is 10 MB or more." };
  const measured = await measure(bytes, bytes.length, bytes.subarray(0, 4096));
  if (measured.state !== "audio")
    return { code: "Audio.DecoderError", message: `The audio ${audioFault(measured) ?? "can't be read"}.` };
  if (measured.kind !== kind)
    return {
      code: "Audio.DecoderError",
      message: `The audio is labelled ${mediaTypes[kind]} and is ${mediaTypes[measured.kind]}.`,
    };
  if (measured.seconds < 10) return { code: "Audio.AudioShortError", message: "The audio is shorter than 10 s." };
  if (isTooLong(measured)) return { code: "Audio.DurationLimitError", message: "The audio is longer than 20 s." };
  return { audioSha256 };
}
