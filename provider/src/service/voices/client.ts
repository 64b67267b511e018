import { z } from "zod";
import { type Answered, type Call, call, type Caller } from "../call";
import { NotFoundError } from "../../errors";
import { encodedBody } from "../audio/encode";
import { type AudioKind, mediaTypes } from "../../decide/audio";
import { certainlyNotDone, passesByItself, retrying } from "../retry";

/** A voice as the account lists it (contract 2.1). */
export interface ListedVoice {
  voice: string;
  targetModel: string;
  /** As the service gives it, for example `2025-08-11 17:59:32`. */
  gmtCreate?: string | undefined;
}

export interface ListPage {
  voices: ListedVoice[];
  total?: number | undefined;
}

/** Audio by address, or a file that was inspected before. */
export type AudioSource = { url: string } | { path: string; kind: AudioKind; bytes: number; sha256: string };

export interface VoiceRequest {
  targetModel: string;
  preferredName: string;
  audio: AudioSource;
  text?: string | undefined;
  language?: string | undefined;
}

export interface CreatedVoice {
  voice: string;
  targetModel: string;
  degraded: boolean;
  degradedReason?: string | undefined;
}

/** The voice interface (contract 4.1 to 4.4). */
export interface VoiceClient {
  /** One billed creation. Sent again only when it certainly was not done; a lost answer is thrown with `billed: "unknown"`. */
  create(request: VoiceRequest): Promise<Answered<CreatedVoice>>;
  listPage(pageIndex: number, pageSize: number): Promise<ListPage>;
  /** Resolves to false when the voice was already gone. */
  remove(voice: string): Promise<boolean>;
}

const createAnswer = z
  .object({
    voice: z.string().min(1),
    target_model: z.string().nullish(),
    fallback_mode: z.boolean().nullish(),
    fallback_reason: z.string().nullish(),
  })
  .transform((answer) => ({
    voice: answer.voice,
    targetModel: answer.target_model ?? undefined,
    degraded: answer.fallback_mode ?? false,
    degradedReason: answer.fallback_reason ?? undefined,
  }));

const listedVoice = z
  .object({ voice: z.string().min(1), target_model: z.string(), gmt_create: z.string().nullish() })
  .transform((row) => ({ voice: row.voice, targetModel: row.target_model, gmtCreate: row.gmt_create ?? undefined }));

const listAnswer = z
  .object({
    voice_list: z.array(listedVoice).nullish(),
    voices: z.array(listedVoice).nullish(),
    total_count: z.number().int().nonnegative().nullish(),
  })
  .transform((answer, context) => {
    const voices = answer.voice_list ?? answer.voices;
    if (voices) return { voices, total: answer.total_count ?? undefined };
    context.addIssue({ code: "custom", message: "neither voice_list nor voices" });
    return z.NEVER;
  });

const removeAnswer = z.object({});

export function voiceClient(caller: Caller, baseUrl: () => string): VoiceClient {
  function request<T extends object>(doing: string, paid: boolean, answer: z.ZodType<T>, body: () => ReturnType<NonNullable<Call<T>["body"]>>, hidden?: string) {
    const url = `${baseUrl()}/api/v1/services/audio/tts/customization`;
    const once = () => call(caller, { doing, method: "POST", url, answer, paid, body, hidden: [hidden] });
    return retrying(caller, paid ? certainlyNotDone : passesByItself, once);
  }
  const envelope = (input: object) => JSON.stringify({ model: "svc-voice-enrollment", input });

  return {
    async create(voice) {
      const answer = await request(`creating the voice ${voice.preferredName}`, true, createAnswer, () => createBody(voice, envelope), voice.text);
      return { ...answer, targetModel: answer.targetModel ?? voice.targetModel };
    },
    listPage(pageIndex, pageSize) {
      const body = envelope({ action: "list", page_index: pageIndex, page_size: pageSize });
      return request("listing the account's voices", false, listAnswer, () => body);
    },
    async remove(voice) {
      try {
        await request(`deleting the voice ${voice}`, false, removeAnswer, () => envelope({ action: "delete", voice }));
        return true;
      } catch (error) {
        if (error instanceof NotFoundError) return false;
        throw error;
      }
    },
  };
}

function createBody({ targetModel, preferredName, audio, text, language }: VoiceRequest, envelope: (input: object) => string) {
  const body = (data: string) =>
    envelope({ action: "create", target_model: targetModel, preferred_name: preferredName, audio: { data }, text, language });
  if ("url" in audio) return body(audio.url);

  // The body around the audio, split where the audio goes: a text that no field can hold unescaped.
  const mark = "\u0000audio\u0000";
  const [before = "", after = ""] = body(`data:${mediaTypes[audio.kind]};base64,${mark}`).split(JSON.stringify(mark).slice(1, -1));
  return encodedBody(before, audio, after);
}
