import { NotFoundError } from "../../errors";
import type { ImageInputs } from "../../rules/image-inputs";
import { invisible } from "../../rules/visible";
import { describeBody } from "../classify-refusal";
import { redactId, redactReason, shownCode, shownStatus, textsIn } from "../redact";
import { describeShape, shownCopy } from "../response-fields";
import { withRetries } from "../retry";
import {
  type BilledCall,
  type CallContext,
  sendRequest,
  type SuccessResponse,
  type WithRequestId,
} from "../send-request";
import { errorFields } from "../structure/error-fields";
import { firstField, isText, type Place, placesOf, requireField } from "../structure/fields";
import { findImages, type FoundImage } from "../structure/images";

export type ImageRequest = Omit<ImageInputs, "triggers" | "saveTo" | "timeoutSeconds" | "adoptTask">;

export interface Task {
  taskId: string;
  /** As the service writes it, in any case of letters. */
  taskStatus: string;
  /** Empty if no image was recognised in the response. */
  results: FoundImage[];
  code?: string | undefined;
  /** Why the task failed, if it did: what the service says, also in a form that is not known. */
  message?: string | undefined;
  fields: string;
  /** The response, for an output: without the key and without control characters, and cut where it is too large. */
  raw: unknown;
}

export interface ImageClient {
  /**
   * Submits one task, which is billed. Retried only when the service certainly did not accept it; a lost response
   * rejects with `billed: "unknown"`.
   */
  submit(request: ImageRequest, call: BilledCall): Promise<WithRequestId<{ taskId: string; taskStatus: string }>>;
  poll(taskId: string, options: { secret: boolean }): Promise<Task>;
}

export function imageClient(context: CallContext, baseUrl: () => string): ImageClient {
  return {
    submit(request, { sending, secret = false }) {
      const body = submitBody(request);
      const url = `${baseUrl()}/api/v1/services/aigc/text2image/image-synthesis`;
      return withRetries(context, () =>
        sendRequest(context, {
          purpose: "submitting the image task",
          action: "submit",
          method: "POST",
          url,
          headers: { "X-Svc-Async": "enable" },
          body: () => body,
          read: (response) => readSubmitted(response, context.apiKey(), secret),
          billed: sending,
          secret,
          inputs: textsIn(Object.values(request)),
        }),
      );
    },
    async poll(taskId, { secret }) {
      const url = `${baseUrl()}/api/v1/tasks/${encodeURIComponent(invisible(taskId))}`;
      const task = await withRetries(context, () =>
        sendRequest(context, {
          purpose: `looking up the image task ${taskId}`,
          action: "poll",
          method: "GET",
          url,
          read: (response) => readTask(response, context.apiKey(), secret),
          billed: false,
          secret,
        }),
      ).catch((error: unknown) => {
        // A service that has a state for tasks it does not know says `UNKNOWN`.
        if (error instanceof NotFoundError) return { taskStatus: "UNKNOWN", results: [], fields: "none", raw: {} };
        throw error;
      });
      return { ...task, taskId };
    },
  };
}

const submittedStatus = "PENDING";

/** What was paid for must not be lost because of a field that nobody needs. So only `task_id` must be there. */
function readSubmitted({ places }: SuccessResponse, apiKey: string, secret: boolean) {
  return {
    taskId: redactId(requireField(places, "task_id", isText), apiKey),
    taskStatus: shownStatus(firstField(places, "task_status", isText) ?? submittedStatus, apiKey, { secret }),
  };
}

function readTask({ body, json, places }: SuccessResponse, apiKey: string, secret: boolean): Omit<Task, "taskId"> {
  // What stands deeper, or in an array beside the task, may be the status of a part of it.
  const isTask = ({ record }: Place) => "task_status" in record || "task_id" in record;
  const outside = placesOf(json, undefined, false).filter(isTask);
  const found = outside.length > 0 ? outside : places;
  // A task that is described without a status has not ended.
  const status =
    firstField(found, "task_status", isText) ?? (requireField(found, "task_id", isText) && submittedStatus);
  const error = errorFields(json);
  const { code, message = code === undefined ? describeBody({ body }, json) : undefined } = error;
  const shown = (text: string) => redactReason(text, apiKey);
  return {
    taskStatus: shownStatus(status, apiKey, { secret }),
    results: findImages(json).map((image): FoundImage => {
      if ("unknownForm" in image) return image;
      if (!("url" in image)) return { ...image, code: image.code && shownCode(image.code, apiKey, { secret }) };
      const { url, actualPrompt } = image;
      return { url, ...(actualPrompt !== undefined && { actualPrompt: shown(actualPrompt) }) };
    }),
    code: code && shownCode(code, apiKey, { secret }),
    message: message && shown(message),
    fields: describeShape(json),
    raw: shownCopy(json, shown),
  };
}

function submitBody({ model, prompt, negativePrompt, size, n, promptExtend, watermark }: ImageRequest): string {
  const parameters = { negative_prompt: negativePrompt, size, n, prompt_extend: promptExtend, watermark };
  const hasParameters = Object.values(parameters).some((value) => value !== undefined);
  return JSON.stringify({ model, input: { prompt }, ...(hasParameters && { parameters }) });
}
