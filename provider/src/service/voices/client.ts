import { z } from "zod";
import { type AudioKind, mediaTypes } from "../../rules/audio";
import { NotFoundError } from "../../errors";
import { voicesCost } from "../../rules/price";
import { createdAtOfListed } from "../../rules/time";
import { encodedBody } from "../audio/encode";
import { shownReason } from "../redact";
import { certainlyNotDone, isTransient, withRetries } from "../retry";
import { type CallContext, sendRequest, type WithRequestId } from "../send-request";

/** A row of the account's list of voices. */
export interface ListedVoice {
  voice: string;
  targetModel: string;
  /** When the voice was created, in ISO 8601. Absent if neither the list nor the voice's name shows it. */
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
  /** Whether an input is secret: then errors and outputs do not repeat what the service says. */
  secret?: boolean;
}

export interface CreatedVoice {
  voice: string;
  targetModel: string;
  degraded: boolean;
  /** Redacted: it becomes an output of the resource and a line of the log. */
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
  remove(voice: string, beforeSend?: () => Promise<void>): Promise<boolean>;
}

const createResponse = z
  .object({
    voice: z.string().min(1),
    target_model: z.string().nullish(),
    fallback_mode: z.boolean().nullish(),
    fallback_reason: z.string().nullish().catch(undefined),
    count: z.number().nullish().catch(undefined),
  })
  .transform((fields) => ({
    voice: fields.voice,
    targetModel: fields.target_model ?? undefined,
    degraded: fields.fallback_mode ?? false,
    degradedReason: fields.fallback_reason ?? undefined,
    count: fields.count ?? 1,
  }));

const listedVoice = z
  .object({ voice: z.string().min(1), target_model: z.string(), gmt_create: z.unknown().optional() })
  .transform((row) => ({
    voice: row.voice,
    targetModel: row.target_model,
    gmtCreate: createdAtOfListed(row.voice, row.gmt_create),
  }));

const listResponse = z
  .looseObject({
    voice_list: z.array(listedVoice).nullish(),
    voices: z.array(listedVoice).nullish(),
    // Not in the contract, so a total of another form is ignored.
    total_count: z.number().int().nonnegative().nullish().catch(undefined),
  })
  .transform((fields, zodContext) => {
    const voices = fields.voice_list ?? fields.voices ?? (isEmptyList(fields) ? [] : undefined);
    if (voices) return { voices, total: fields.total_count ?? undefined };
    zodContext.addIssue({ code: "custom", message: "it has neither voice_list nor voices" });
    return z.NEVER;
  });

/**
 * Whether a response without rows is the list of an empty account: its list is null, or the rest is what a list
 * response has. Any other object may be another kind of response.
 */
function isEmptyList(fields: Record<string, unknown>): boolean {
  const envelopeFields = ["output", "usage", "request_id"];
  const others = Object.keys(fields).filter((name) => !envelopeFields.includes(name));
  const hasOtherContainer = others.some((name) => typeof fields[name] === "object" && fields[name] !== null);
  if (hasOtherContainer) return false;
  if (others.includes("voice_list") || others.includes("voices") || others.length === 0) return true;
  return ["count", "page_index", "total_count"].some((name) => others.includes(name)) && !fields.total_count;
}

const removeResponse = z.object({});

export function voiceClient(context: CallContext, baseUrl: () => string): VoiceClient {
  const url = () => `${baseUrl()}/api/v1/services/audio/tts/customization`;
  const freeCall = <T extends object>(
    purpose: string,
    responseSchema: z.ZodType<T>,
    expectedFields: readonly string[],
    input: { action: string } & Record<string, unknown>,
    beforeSend?: () => Promise<void>,
  ) => {
    const { action } = input;
    const facts = { purpose, action, method: "POST", responseSchema, expectedFields, isBillable: false } as const;
    const request = { ...facts, beforeSend };
    const body = () => envelope(input);
    return withRetries(context, isTransient, () => sendRequest(context, { ...request, url: url(), body }));
  };

  return {
    async create(voice, beforeSend) {
      const { preferredName, targetModel, secret = false } = voice;
      const {
        count,
        degradedReason: reason,
        ...created
      } = await withRetries(context, certainlyNotDone, () =>
        sendRequest(context, {
          // The name may be the secret input.
          purpose: secret ? "creating the voice" : `creating the voice ${preferredName}`,
          action: "create",
          method: "POST",
          url: url(),
          body: () => createBody(voice),
          responseSchema: createResponse,
          expectedFields: ["voice"],
          isBillable: true,
          secret,
          beforeSend,
        }),
      );
      if (count !== 1) {
        const cost = `$${voicesCost(count).toFixed(2)}`;
        context.log(
          `warning: the service billed ${count} creations for the voice ${created.voice}, which cost ${cost}; ` +
            "its interface promises one",
        );
      }
      return {
        ...created,
        targetModel: created.targetModel ?? targetModel,
        degradedReason: reason === undefined ? undefined : shownReason(reason, context.apiKey(), secret),
      };
    },
    listPage(pageIndex, pageSize) {
      const input = { action: "list", page_index: pageIndex, page_size: pageSize };
      return freeCall("listing the account's voices", listResponse, ["voice_list", "voices"], input);
    },
    async remove(voice, beforeSend) {
      const input = { action: "delete", voice };
      try {
        await freeCall(`deleting the voice ${voice}`, removeResponse, [], input, beforeSend);
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
