import { type AudioKind, recordings } from "../../rules/file-formats";
import { type CloudVoiceError, LostAnswerError, ServiceError, UnexpectedAnswerError } from "../../errors";
import type { Forms } from "../../rules/settings";
import { createdAtOfListed } from "../../rules/time";
import type { CheckedVoice, ListedVoice } from "../../rules/voice";
import { encodedBody } from "../audio/encode";
import type { Sending } from "../billed-requests";
import { sentAsId, shownAsId, shownReason } from "../redact";
import { shortenedCopy } from "../responses/describe";
import { boundedId, FormProblem, isText, shownPath } from "../responses/forms";
import { readVoiceList, type VoicePage, type VoiceRow } from "../responses/voice-list";
import { readCreatedVoice, saysDeleted } from "../responses/voices";
import { withRetries } from "../retry";
import { type CallContext, sendRequest, type ServiceRequest, type Received } from "../send-request";

export interface ListPage extends Pick<VoicePage, "total" | "doubt"> {
  voices: ListedVoice[];
  /** The field that says that more voices follow. */
  more: string | undefined;
  /** The path of the list of voices, which may be empty. */
  place?: string | undefined;
  /** Why an empty list in this form may not mean that there are no voices: names a field that is not understood. */
  unproven?: string | undefined;
}

/** A public URL, or a file that has passed the checks. */
export type AudioSource = { url: string } | { path: string; kind: AudioKind; bytes: number; sha256: string };

export interface VoiceRequest extends Omit<CheckedVoice, "audio"> {
  audio: AudioSource;
  /** Whether an input is secret. If it is, errors and outputs do not quote the service. */
  secret?: boolean;
}

export type VoiceClient = ReturnType<typeof voiceClient>;

function asText(value: string | number | boolean | object): string {
  return typeof value === "string" ? value : JSON.stringify(shortenedCopy(value).copy);
}

function listedVoice({ voice: name, target_model, gmt_create }: VoiceRow): ListedVoice {
  const voice = shownAsId(name);
  return {
    voice,
    targetModel: isText(target_model) ? shownAsId(boundedId("target_model", target_model)) : "",
    createdAt: createdAtOfListed(voice, gmt_create),
  };
}

function readPage(json: unknown, pageIndex: number, forms: Forms | undefined): ListPage {
  const { rows, total, doubt, place, more, unproven } = readVoiceList(json, pageIndex === 0, forms);
  return {
    voices: rows.map(listedVoice),
    ...{ total, doubt },
    unproven: unproven[0] && `the meaning of ${shownPath(unproven[0].path)} is not known`,
    more: more && shownPath(more),
    place: place && shownPath(place),
  };
}

const model = "svc-voice-enrollment";

/**
 * The client of the voice interface. `errorIfFull` finds out whether a 429 to a create means that the account is full.
 * Any other 429 means a rate limit, and the call waits.
 */
export function voiceClient(
  context: CallContext,
  baseUrl: () => string,
  errorIfFull: (error: CloudVoiceError) => Promise<CloudVoiceError | undefined>,
) {
  const { forms } = context;
  const url = () => `${baseUrl()}/api/v1/services/audio/tts/customization`;
  const freeCall = <T extends object>(
    input: { action: "list" | "delete" } & Record<string, unknown>,
    request: Pick<ServiceRequest<T>, "purpose" | "read">,
    onError: (error: unknown) => void = () => undefined,
  ) => {
    const facts = { action: input.action, method: "POST", billed: false, body: () => envelope(input) } as const;
    const send = () => sendRequest(context, { ...request, ...facts, url: url() });
    return withRetries(context, () =>
      send().catch((error: unknown) => {
        onError(error);
        throw error;
      }),
    );
  };

  return {
    /**
     * Creates one voice, which is billed. Sends the request again only if the service certainly has not created the
     * voice. If the response is lost, rejects with `billed: "unknown"`. `degradedReason` of the result contains no
     * secrets, because it becomes an output and a log line.
     */
    async create(voice: VoiceRequest, sending: Sending): Promise<ListedVoice> {
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
    listPage(pageIndex: number, pageSize: number): Promise<ListPage> {
      const paging = { page_index: pageIndex, page_size: pageSize };
      return freeCall(
        { action: "list", ...paging },
        { purpose: "listing the account's voices", read: ({ json }) => readPage(json, pageIndex, forms) },
      );
    },
    /**
     * Deletes a voice. After any error except an {@link UnreachableError}, the voice may be gone, and only the list can
     * show it: the service does not promise how it refuses to delete an absent voice. `onLost`: called when a request
     * may have been done although its response does not say so.
     */
    async remove(voice: string, onLost?: () => void): Promise<void> {
      const name = sentAsId(voice);
      const read = ({ status, json, body }: Received) => {
        if (saysDeleted(status, json, body, forms)) return {};
        if (body.trim() !== "") throw new FormProblem("only a report that the voice is deleted");
        throw new UnexpectedAnswerError("the response does not say whether the voice is deleted", { status });
      };
      const request = { purpose: `deleting the voice ${voice}`, read };
      await freeCall({ action: "delete", voice: name }, request, (error) => {
        if (error instanceof LostAnswerError || error instanceof ServiceError) onLost?.();
      });
    },
  };
}

function createRequest({ apiKey, forms }: CallContext, voice: VoiceRequest) {
  const { preferredName, targetModel, secret = false, text = "", audio } = voice;
  const read = ({ json }: Received) => {
    const { degradedReason: reason, ...created } = readCreatedVoice(json, preferredName, forms);
    return {
      ...created,
      voice: shownAsId(created.voice),
      targetModel: created.targetModel === undefined ? targetModel : shownAsId(created.targetModel),
      degradedReason: reason === undefined ? undefined : shownReason(asText(reason), apiKey(), secret),
    };
  };
  return {
    // The name may be secret, so the purpose omits it if an input is secret.
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

  // The mark stands for the recording. Its first occurrence is the right one: the field `text` may contain the mark too,
  // but comes later.
  const mark = "[audio]";
  const body = bodyWith(`data:${recordings[audio.kind].mediaType};base64,${mark}`);
  const at = body.indexOf(mark);
  return encodedBody(body.slice(0, at), audio, body.slice(at + mark.length));
}
