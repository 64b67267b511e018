import * as z from "zod";
import { checkAudio } from "./audio";
import { hashOf } from "./draw";
import type { Dialect } from "./forms";
import type { VoiceRow } from "./ledger";
import { invalid, type Outcome } from "./outcome";
import { createdMsOf, type VoiceNames } from "./voice-names";
import type { VoiceRules } from "./voice-rules";

// The emulator has its own lists of allowed values, from the contract. If it imported the client's lists, a wrong value
// in the client would pass every test.
/** The values of `input.target_model` (contract 4.2). */
const targetModels = ["svc3-tts-vc-realtime-2026-01-15", "svc3-tts-vc-realtime-2025-11-27", "svc3-tts-vc-2026-01-22"];
/** The values of `input.language` (contract 4.2). */
const languages = ["zh", "en", "de", "it", "pt", "es", "ja", "ko", "fr", "ru"];

export interface VoiceContext {
  /** The voices of the account that sent the call, by name. */
  voices: Map<string, VoiceRow>;
  names: VoiceNames;
  rules: VoiceRules;
  dialect: Dialect;
  nowMs: number;
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

export function voiceAction(body: unknown): keyof typeof requests | undefined {
  return envelope.safeParse(body).data?.input.action;
}

/** Answers a call about voices (contract 4.2 to 4.4). */
export async function handleVoiceCall(body: unknown, context: VoiceContext): Promise<Outcome> {
  const request = envelope.safeParse(body);
  if (!request.success) return invalid(z.prettifyError(request.error));
  const input = requests[request.data.input.action].safeParse(request.data.input);
  if (!input.success) return invalid(z.prettifyError(input.error));
  switch (input.data.action) {
    case "create":
      return create(input.data, context);
    case "list":
      return list(input.data, context);
    case "delete":
      return remove(input.data.voice, context);
  }
}

async function create(input: z.infer<typeof requests.create>, context: VoiceContext): Promise<Outcome> {
  const { voices, names, rules, dialect, nowMs } = context;
  const models = [...targetModels, ...rules.extraTargetModels];
  if (!models.includes(input.target_model)) {
    return invalid(`target_model is ${input.target_model}. Use one of ${models.join(", ")}.`);
  }
  if (!/^[0-9A-Za-z_]{1,16}$/.test(input.preferred_name)) {
    return invalid("preferred_name is not valid. Use 1 to 16 digits, letters and underscores.");
  }
  const audio = await checkAudio(input.audio.data, 10 * dialect.megabyte);
  if ("code" in audio) return { status: 400, ...audio };
  // The emulator does not recognise speech. With these words in the text, a test makes it refuse the text.
  if (input.text !== undefined && /does not match/i.test(input.text)) {
    return { status: 400, code: "Audio.PreprocessError", message: "The text differs significantly from the audio." };
  }
  if (voices.size >= rules.voiceQuota) {
    const message = `Allocated quota of ${rules.voiceQuota} voices exceeded.`;
    return { status: rules.quotaStatus, code: "Throttling.AllocationQuota", message };
  }
  const voice = names.createVoice(input.preferred_name, input.target_model, nowMs, dialect);
  const degraded = rules.degradeEvery > 0 && (voices.size + 1) % rules.degradeEvery === 0;
  // Add the voice before the next `await`, so that a concurrent create counts it.
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

function list(input: z.infer<typeof requests.list>, { voices, rules, dialect, nowMs }: VoiceContext): Outcome {
  const { pageRows, ignoresPageSize } = dialect.list;
  const asked = ignoresPageSize ? rules.largestPage : Math.min(input.page_size, rules.largestPage);
  const size = Math.min(asked, pageRows ?? Infinity);
  const listed = inOrder(
    [...voices.values()].filter((row) => nowMs - createdMsOf(row) >= rules.listDelayMs),
    dialect,
  );
  const rows = listed.slice(input.page_index * size, (input.page_index + 1) * size);
  return {
    status: 200,
    output: {
      voice_list: rows.map((row) => ({ voice: row.voice, gmt_create: row.gmtCreate, target_model: row.targetModel })),
      ...(rules.listTotals && { page_index: input.page_index, page_size: size, total_count: listed.length }),
    },
    usage: { count: 0 },
  };
}

function remove(voice: string, { voices }: VoiceContext): Outcome {
  if (!voices.has(voice)) {
    return { status: 400, code: "BadRequest.VoiceNotFound", message: `Voice ${voice} not found.` };
  }
  return { status: 200, output: {}, usage: { count: 0 }, effect: { deleted: voice } };
}

/** Sorts rows in the order of the dialect. The rows must be given in the order of their creation. */
export function inOrder<Row extends { voice: string }>(rows: Row[], { list, seed }: Dialect): Row[] {
  switch (list.order) {
    case "newest first":
      return rows.reverse();
    case "oldest first":
      return rows;
    case "by name":
      return rows.sort((one, other) => (one.voice < other.voice ? -1 : 1));
    case "by chance":
      return rows.sort((one, other) => hashOf(`${seed} ${one.voice}`) - hashOf(`${seed} ${other.voice}`));
  }
}
