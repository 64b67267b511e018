import { z } from "zod";
import { type WithRequestId, call, type Caller } from "../call";
import { NotFoundError } from "../../errors";
import { encodedBody } from "../audio/encode";
import { type AudioKind, mediaTypes } from "../../rules/audio";
import { passesByItself, paying, retrying } from "../retry";

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
  /**
   * One billed creation. Sent again only when it certainly was not done; a lost answer is thrown with `billed: "unknown"`. `mayPay` is
   * asked before each sending, and rejects when nobody would keep what is paid for.
   */
  create(request: VoiceRequest, mayPay?: () => Promise<void>): Promise<WithRequestId<CreatedVoice>>;
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
  .object({ voice: z.string().min(1), target_model: z.string(), gmt_create: z.string().nullish().catch(undefined) })
  .transform((row) => ({ voice: row.voice, targetModel: row.target_model, gmtCreate: row.gmt_create ?? undefined }));

const listAnswer = z
  .object({
    voice_list: z.array(listedVoice).nullish(),
    voices: z.array(listedVoice).nullish(),
    // Not in the contract: a count of another form is none.
    total_count: z.number().int().nonnegative().nullish().catch(undefined),
  })
  .transform((answer, context) => {
    const voices = answer.voice_list ?? answer.voices;
    if (voices) return { voices, total: answer.total_count ?? undefined };
    context.addIssue({ code: "custom", message: "neither voice_list nor voices" });
    return z.NEVER;
  });

const removeAnswer = z.object({});

export function voiceClient(caller: Caller, baseUrl: () => string): VoiceClient {
  const url = () => `${baseUrl()}/api/v1/services/audio/tts/customization`;
  const free = <T extends object>(doing: string, answer: z.ZodType<T>, body: string) =>
    retrying(caller, passesByItself, () =>
      call(caller, { doing, method: "POST", url: url(), answer, paid: false, body: () => body }),
    );
  const envelope = (input: object) => JSON.stringify({ model: "svc-voice-enrollment", input });

  return {
    async create(voice, mayPay) {
      const doing = `creating the voice ${voice.preferredName}`;
      const hidden = [
        voice.text,
        ...("url" in voice.audio ? [voice.audio.url, /\?.*/.exec(voice.audio.url)?.[0]] : []),
      ];
      const body = () => createBody(voice, envelope);
      const answer = await paying(caller, mayPay, () =>
        call(caller, { doing, method: "POST", url: url(), answer: createAnswer, paid: true, body, hidden }),
      );
      return { ...answer, targetModel: answer.targetModel ?? voice.targetModel };
    },
    listPage(pageIndex, pageSize) {
      return free(
        "listing the account's voices",
        listAnswer,
        envelope({ action: "list", page_index: pageIndex, page_size: pageSize }),
      );
    },
    async remove(voice) {
      try {
        await free(`deleting the voice ${voice}`, removeAnswer, envelope({ action: "delete", voice }));
        return true;
      } catch (error) {
        if (error instanceof NotFoundError) return false;
        throw error;
      }
    },
  };
}

function createBody(
  { targetModel, preferredName, audio, text, language }: VoiceRequest,
  envelope: (input: object) => string,
) {
  const body = (data: string) =>
    envelope({
      action: "create",
      target_model: targetModel,
      preferred_name: preferredName,
      audio: { data },
      text,
      language,
    });
  if ("url" in audio) return body(audio.url);

  // The body around the audio, split where the audio goes: the first place with the mark, whatever the fields after it hold.
  const mark = "[audio]";
  const whole = body(`data:${mediaTypes[audio.kind]};base64,${mark}`);
  const at = whole.indexOf(mark);
  return encodedBody(whole.slice(0, at), audio, whole.slice(at + mark.length));
}
