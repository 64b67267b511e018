import { z } from "zod";
import { type AudioKind, mediaTypes } from "../../rules/audio";
import { NotFoundError } from "../../errors";
import { encodedBody } from "../audio/encode";
import { isTransient, retryBilledCall, withRetries } from "../retry";
import { type CallContext, sendRequest, type WithRequestId } from "../send-request";

/** A row of the account's list of voices. */
export interface ListedVoice {
  voice: string;
  targetModel: string;
  /** In the service's own form, for example `2025-08-11 17:59:32`. */
  gmtCreate?: string | undefined;
}

export interface ListPage {
  voices: ListedVoice[];
  total?: number | undefined;
}

/** A public URL, or a file that has passed its checks. */
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

/** The voice interface. */
export interface VoiceClient {
  /**
   * Creates one voice, which is billed. Retried only when the service certainly did not create it; a lost response
   * rejects with `billed: "unknown"`. `beforeSend` runs before each attempt, and rejects when the voice must not be
   * created any more.
   */
  create(request: VoiceRequest, beforeSend?: () => Promise<void>): Promise<WithRequestId<CreatedVoice>>;
  listPage(pageIndex: number, pageSize: number): Promise<ListPage>;
  /** Resolves to false if the voice did not exist. */
  remove(voice: string): Promise<boolean>;
}

const createResponse = z
  .object({
    voice: z.string().min(1),
    target_model: z.string().nullish(),
    fallback_mode: z.boolean().nullish(),
    fallback_reason: z.string().nullish(),
  })
  .transform((fields) => ({
    voice: fields.voice,
    targetModel: fields.target_model ?? undefined,
    degraded: fields.fallback_mode ?? false,
    degradedReason: fields.fallback_reason ?? undefined,
  }));

const listedVoice = z
  .object({ voice: z.string().min(1), target_model: z.string(), gmt_create: z.string().nullish().catch(undefined) })
  .transform((row) => ({ voice: row.voice, targetModel: row.target_model, gmtCreate: row.gmt_create ?? undefined }));

const listResponse = z
  .object({
    voice_list: z.array(listedVoice).nullish(),
    voices: z.array(listedVoice).nullish(),
    // Not in the contract, so a total of another form is ignored.
    total_count: z.number().int().nonnegative().nullish().catch(undefined),
  })
  .transform((fields, zodContext) => {
    const voices = fields.voice_list ?? fields.voices;
    if (voices) return { voices, total: fields.total_count ?? undefined };
    zodContext.addIssue({ code: "custom", message: "it has neither voice_list nor voices" });
    return z.NEVER;
  });

const removeResponse = z.object({});

export function voiceClient(context: CallContext, baseUrl: () => string): VoiceClient {
  const url = () => `${baseUrl()}/api/v1/services/audio/tts/customization`;
  const freeCall = <T extends object>(operation: string, responseSchema: z.ZodType<T>, input: object) => {
    const body = () => envelope(input);
    return withRetries(context, isTransient, () =>
      sendRequest(context, { operation, method: "POST", url: url(), body, responseSchema, billed: false }),
    );
  };

  return {
    async create(voice, beforeSend) {
      const { text, audio, preferredName, targetModel } = voice;
      const audioUrl = "url" in audio ? audio.url : undefined;
      // A reason of the service may quote the query of a signed URL without the rest of the URL.
      const secretTexts = [text, audioUrl, /\?.*/.exec(audioUrl ?? "")?.[0]];
      const created = await retryBilledCall(context, beforeSend, () =>
        sendRequest(context, {
          operation: `creating the voice ${preferredName}`,
          method: "POST",
          url: url(),
          body: () => createBody(voice),
          responseSchema: createResponse,
          billed: true,
          secretTexts,
        }),
      );
      return { ...created, targetModel: created.targetModel ?? targetModel };
    },
    listPage(pageIndex, pageSize) {
      const input = { action: "list", page_index: pageIndex, page_size: pageSize };
      return freeCall("listing the account's voices", listResponse, input);
    },
    async remove(voice) {
      try {
        await freeCall(`deleting the voice ${voice}`, removeResponse, { action: "delete", voice });
        return true;
      } catch (error) {
        if (error instanceof NotFoundError) return false;
        throw error;
      }
    },
  };
}

function envelope(input: object): string {
  return JSON.stringify({ model: "svc-voice-enrollment", input });
}

function createBody({ targetModel, preferredName, audio, text, language }: VoiceRequest) {
  const bodyWith = (data: string) =>
    envelope({
      action: "create",
      target_model: targetModel,
      preferred_name: preferredName,
      audio: { data },
      text,
      language,
    });
  if ("url" in audio) return bodyWith(audio.url);

  // Split the body where the audio belongs. The first mark is the right one: later fields may contain the same text.
  const mark = "[audio]";
  const body = bodyWith(`data:${mediaTypes[audio.kind]};base64,${mark}`);
  const at = body.indexOf(mark);
  return encodedBody(body.slice(0, at), audio, body.slice(at + mark.length));
}
