import { type AudioKind, mediaTypes } from "../../rules/audio";
import { type CloudVoiceError, NotFoundError } from "../../errors";
import { createdAtOfListed } from "../../rules/time";
import { invisible } from "../../rules/visible";
import type { VoiceOutputs } from "../../rules/voice";
import { encodedBody } from "../audio/encode";
import type { Sending } from "../billed-requests";
import { redactId, shownReason } from "../redact";
import { describeShape, shownCopy } from "../response-fields";
import { withRetries } from "../retry";
import {
  type CallContext,
  sendRequest,
  type ServiceRequest,
  type SuccessResponse,
  type WithRequestId,
} from "../send-request";
import { codedText, errorFields, saysFailed } from "../structure/error-fields";
import { firstField, FormProblem, isNumber, isText, requireField } from "../structure/fields";
import { type Container, findRows, type FoundRows, type Row, shownPath } from "../structure/rows";

export interface ListedVoice {
  voice: string;
  targetModel: string;
  /**
   * When the voice was created, in ISO 8601 if the list or the voice's name shows it in a known form; else as the list
   * says it. Absent if neither says anything.
   */
  gmtCreate?: string | undefined;
}

export interface ListPage {
  voices: ListedVoice[];
  /** How many voices the service says that there are. It may count only those of this page. */
  total?: number | undefined;
  /**
   * Set if the place of the voices was not recognised: the names of the fields in the response. It may be the list of
   * an empty account, if nothing else says that there are voices.
   */
  unrecognised?: string | undefined;
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

/** The reason is redacted: it becomes an output of the resource and a line of the log. */
export type CreatedVoice = Pick<VoiceOutputs, "voice" | "targetModel" | "degraded" | "degradedReason">;

export interface VoiceClient {
  /**
   * Creates one voice, which is billed. Retried only when the service certainly did not create it; a lost response
   * rejects with `billed: "unknown"`.
   */
  create(request: VoiceRequest, sending: Sending): Promise<WithRequestId<CreatedVoice>>;
  listPage(pageIndex: number, pageSize: number): Promise<ListPage>;
  /**
   * Resolves to false if the voice did not exist. After any error but an {@link UnreachableError}, the voice may be gone:
   * the service does not promise how it refuses to delete an absent voice, so the list decides.
   */
  remove(voice: string, beforeSend?: () => Promise<void>): Promise<boolean>;
}

/** What was paid for must not be lost because of a field that nobody needs. So only `voice` must have its type. */
function readCreated({ places }: SuccessResponse, apiKey: string) {
  const mode = firstField(places, "fallback_mode", isSomething);
  const reason = firstField(places, "fallback_reason", isSomething);
  return {
    voice: redactId(requireField(places, "voice", isText), apiKey),
    targetModel: firstField(places, "target_model", isText),
    degraded: mode !== undefined && !/^(|0|false|none|no|off|null)$/i.test(asText(mode)),
    degradedReason: reason === undefined ? undefined : asText(reason),
    count: firstField(places, "count", isNumber) ?? 1,
  };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(shownCopy(value, (text) => text));
}

function isSomething(value: unknown): value is string | number | boolean | object {
  return value !== undefined && value !== null;
}

function readPage({ json }: SuccessResponse, pageIndex: number, found: FoundRows, apiKey: string): ListPage {
  const { rows, container = [], total, isProven } = found;
  // Behind the last page, the empty list may have a total of all voices.
  if (pageIndex === 0 && rows.length === 0 && total !== undefined && total > 0)
    throw new FormProblem(`${total} voices, as it counts them`);
  const voices = rows.map((row, index) => listedVoice(row, shownPath([...container, String(index)]), apiKey));
  return { voices, total, ...(!isProven && { unrecognised: describeShape(json) }) };
}

function listedVoice(row: Row, path: string, apiKey: string): ListedVoice {
  const { voice: name, target_model: targetModel, gmt_create: gmtCreate } = row;
  if (!isText(targetModel)) throw new FormProblem(`a target_model in ${path}`);
  const voice = redactId(name, apiKey);
  return { voice, targetModel: redactId(targetModel, apiKey), gmtCreate: createdAtOfListed(voice, gmtCreate) };
}

/** The contract gives a delete no fields of its own. A page, or a text about an error, leaves it to the list. */
function readRemoved({ body, json }: SuccessResponse) {
  const { code, message } = errorFields(json, true);
  const isOther = json === undefined && (/^\s*[<{[]/.test(body) || codedText(body.trim()).code !== undefined);
  if (code !== undefined || message !== undefined || isOther || saysFailed(json)) throw new FormProblem("no message");
  return {};
}

/** `errorIfFull` tells a full account from a limit of the rate, for which a call waits. */
export function voiceClient(
  context: CallContext,
  baseUrl: () => string,
  errorIfFull: (error: CloudVoiceError) => Promise<CloudVoiceError | undefined>,
): VoiceClient {
  const url = () => `${baseUrl()}/api/v1/services/audio/tts/customization`;
  /** Where the pages had their voices so far. */
  let container: Container | undefined;
  const freeCall = <T extends object>(
    input: { action: string } & Record<string, unknown>,
    request: Pick<ServiceRequest<T>, "purpose" | "read" | "beforeSend">,
  ) => {
    const facts = { action: input.action, method: "POST", billed: false, body: () => envelope(input) } as const;
    return withRetries(context, () => sendRequest(context, { ...request, ...facts, url: url() }));
  };

  return {
    async create(voice, billed) {
      const { preferredName, targetModel, secret = false, text = "", audio } = voice;
      const create = () =>
        sendRequest(context, {
          // The name may be the secret input.
          purpose: secret ? "creating the voice" : `creating the voice ${preferredName}`,
          action: "create",
          method: "POST",
          url: url(),
          body: () => createBody(voice),
          read: (response) => readCreated(response, context.apiKey()),
          billed,
          secret,
          inputs: [text, preferredName, "url" in audio ? audio.url : ""],
          onRateLimit: async (error) => {
            const full = await errorIfFull(error);
            if (full) throw full;
          },
        });
      const { count, degradedReason: reason, ...created } = await withRetries(context, create);
      if (count !== 1)
        context.log(
          `warning: the service billed ${count} creations for the voice ${created.voice}; its interface promises one`,
        );
      return {
        ...created,
        targetModel: created.targetModel === undefined ? targetModel : redactId(created.targetModel, context.apiKey()),
        degradedReason: reason === undefined ? undefined : shownReason(reason, context.apiKey(), secret),
      };
    },
    listPage(pageIndex, pageSize) {
      return freeCall(
        { action: "list", page_index: pageIndex, page_size: pageSize },
        {
          purpose: "listing the account's voices",
          read: (response) => {
            const found = findRows(response.json, container);
            container = found.container ?? container;
            return readPage(response, pageIndex, found, context.apiKey());
          },
        },
      );
    },
    async remove(voice, beforeSend) {
      const request = { purpose: `deleting the voice ${voice}`, read: readRemoved, beforeSend };
      try {
        await freeCall({ action: "delete", voice: invisible(voice) }, request);
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
