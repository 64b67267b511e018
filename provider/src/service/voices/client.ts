import { type AudioKind, recordings } from "../../rules/file-formats";
import { type CloudVoiceError, UnexpectedAnswerError } from "../../errors";
import type { Forms } from "../../rules/forms";
import { createdAtOfListed } from "../../rules/time";
import type { CheckedVoice, VoiceOutputs } from "../../rules/voice";
import { encodedBody } from "../audio/encode";
import type { Sending } from "../billed-requests";
import { sentAsId, shownAsId, shownReason } from "../redact";
import { keptCopy } from "../responses/describe";
import { boundedId, FormProblem, isText, type Path, shownPath } from "../responses/forms";
import { unprovenBy } from "../responses/meaning";
import { proofOfList } from "../responses/suggest";
import { readVoiceList } from "../responses/voice-list";
import type { VoiceRow } from "../responses/voice-rows";
import { readCreatedVoice, saysDeleted } from "../responses/voices";
import { withRetries } from "../retry";
import {
  type CallContext,
  sendRequest,
  type ServiceRequest,
  type SuccessResponse,
  type WithRequestId,
} from "../send-request";

export interface ListedVoice {
  voice: string;
  /** Empty if the row has no model. */
  targetModel: string;
  /** The word by which the row says that the voice is deleted, failed or not usable. */
  unusable?: string | undefined;
  /**
   * The creation time in ISO 8601, if the list or the voice's name has it in a known format. Otherwise as the list has
   * it.
   */
  gmtCreate?: string | undefined;
}

export interface ListPage {
  voices: ListedVoice[];
  /** The number of voices as the service states it. It may count only this page. */
  total: number | undefined;
  /** Why voices may exist that are not on the page. Undefined if the response is understood completely. */
  doubt: string | undefined;
  /** All texts of the page except the names of voices, in lower case. */
  texts?: string;
  /** The field that reports more voices. */
  more: string | undefined;
  /** The path of the list of voices, even if it is empty. */
  place?: string | undefined;
  /** The fields that would keep an empty list of this form from proving that there are no voices. */
  unproven?: string | undefined;
  /** The value of the setting `forms` that resolves `unproven`. */
  proof?: Forms;
}

/** A public URL, or a file that has passed its checks. */
export type AudioSource = { url: string } | { path: string; kind: AudioKind; bytes: number; sha256: string };

export interface VoiceRequest extends Omit<CheckedVoice, "audio"> {
  audio: AudioSource;
  /** Whether an input is secret. Then errors and outputs do not repeat texts of the service. */
  secret?: boolean;
}

/** `degradedReason` is redacted: it becomes an output and a line of the log. */
export type CreatedVoice = Pick<VoiceOutputs, "voice" | "targetModel" | "degraded" | "degradedReason">;

export interface VoiceClient {
  /**
   * Creates one voice, which is billed. Sends again only if the service certainly did not create it. A lost response
   * rejects with `billed: "unknown"`.
   */
  create(request: VoiceRequest, sending: Sending): Promise<WithRequestId<CreatedVoice>>;
  listPage(pageIndex: number, pageSize: number): Promise<ListPage>;
  /**
   * Deletes a voice. After any error except an {@link UnreachableError}, the voice may be gone: look at the list,
   * because the service does not promise how it refuses to delete an absent voice.
   */
  remove(voice: string, beforeSend?: () => Promise<void>): Promise<void>;
}

function asText(value: string | number | boolean | object): string {
  return typeof value === "string" ? value : JSON.stringify(keptCopy(value).copy);
}

function listedVoice({ voice: name, target_model, gmt_create, unusable }: VoiceRow): ListedVoice {
  const voice = shownAsId(name);
  return {
    voice,
    targetModel: isText(target_model) ? shownAsId(boundedId("target_model", target_model)) : "",
    gmtCreate: createdAtOfListed(voice, gmt_create),
    ...(unusable !== undefined && { unusable }),
  };
}

/** Reads pages of the account's list. The voices of a page are expected at the path where the pages before had them. */
function pageReader(forms: Forms | undefined) {
  let listPath: Path | undefined;
  return ({ json }: SuccessResponse, request: { page_index: number; page_size: number }): ListPage => {
    const page = readVoiceList(json, { forms, request: { model, action: "list", ...request }, known: listPath });
    const { rows, total, doubt, texts, place, more, unproven } = page;
    if (request.page_index === 0 && rows.length === 0 && (total ?? 0) > 0)
      throw new FormProblem(`${total} voices, as it counts them`);
    if (rows.length > 0) listPath = place;
    return {
      ...{
        voices: rows.map(listedVoice),
        total,
        doubt,
        texts,
        unproven: unprovenBy(unproven),
        proof: proofOfList(page),
      },
      more: more && shownPath(more),
      place: place && shownPath(place),
    };
  };
}

const model = "svc-voice-enrollment";

/**
 * `errorIfFull` recognises a full account behind a 429. After a rate limit, a call waits; in a full account, it fails.
 */
export function voiceClient(
  context: CallContext,
  baseUrl: () => string,
  errorIfFull: (error: CloudVoiceError) => Promise<CloudVoiceError | undefined>,
): VoiceClient {
  const { forms } = context;
  const url = () => `${baseUrl()}/api/v1/services/audio/tts/customization`;
  const readPage = pageReader(forms);
  const freeCall = <T extends object>(
    input: { action: "list" | "delete" } & Record<string, unknown>,
    request: Pick<ServiceRequest<T>, "purpose" | "read" | "beforeSend">,
  ) => {
    const facts = { action: input.action, method: "POST", billed: false, body: () => envelope(input) } as const;
    return withRetries(context, () => sendRequest(context, { ...request, ...facts, url: url() }));
  };

  return {
    async create(voice, sending) {
      const onRateLimit = async (error: CloudVoiceError) => {
        const full = await errorIfFull(error);
        if (full) throw full;
      };
      const request = { ...createRequest(context, voice), billed: sending, onRateLimit };
      const { count, ...created } = await withRetries(context, () => sendRequest(context, { ...request, url: url() }));
      if (count !== 1)
        context.log(
          `warning: the service billed ${count} creations for the voice ${created.voice}, but its contract promises one`,
        );
      return created;
    },
    listPage(pageIndex, pageSize) {
      const paging = { page_index: pageIndex, page_size: pageSize };
      return freeCall(
        { action: "list", ...paging },
        { purpose: "listing the account's voices", read: (response) => readPage(response, paging) },
      );
    },
    async remove(voice, beforeSend) {
      const name = sentAsId(voice);
      const read = ({ status, json, body }: SuccessResponse) => {
        if (saysDeleted(status, json, body, name, forms)) return {};
        if (body.trim() !== "") throw new FormProblem("that the voice is deleted, and nothing else");
        throw new UnexpectedAnswerError("the response does not say whether the voice is deleted", { status });
      };
      await freeCall({ action: "delete", voice: name }, { purpose: `deleting the voice ${voice}`, read, beforeSend });
    },
  };
}

function createRequest({ apiKey, forms }: CallContext, voice: VoiceRequest) {
  const { preferredName, targetModel, secret = false, text = "", audio } = voice;
  const read = ({ json }: SuccessResponse) => {
    const { degradedReason: reason, ...created } = readCreatedVoice(json, preferredName, forms);
    return {
      ...created,
      voice: shownAsId(created.voice),
      targetModel: created.targetModel === undefined ? targetModel : shownAsId(created.targetModel),
      degradedReason: reason === undefined ? undefined : shownReason(asText(reason), apiKey(), secret),
    };
  };
  return {
    // The name may be secret.
    purpose: secret ? "creating the voice" : `creating the voice ${preferredName}`,
    action: "create",
    method: "POST",
    body: () => createBody(voice),
    read,
    secret,
    inputs: [text, preferredName, "url" in audio ? audio.url : ""],
  } as const;
}

function envelope(input: object): string {
  return JSON.stringify({ model, input });
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

  // Split the body at the first mark: the later field `text` may contain the same text.
  const mark = "[audio]";
  const body = bodyWith(`data:${recordings[audio.kind].mediaType};base64,${mark}`);
  const at = body.indexOf(mark);
  return encodedBody(body.slice(0, at), audio, body.slice(at + mark.length));
}
