import { type CloudVoiceError, NotFoundError, RejectedError, UnexpectedAnswerError } from "../../errors";
import type { ImageInputs } from "../../rules/image-inputs";
import { isDoubtful, taskProgress } from "../../rules/image";
import { invisible } from "../../rules/visible";
import { describeBody } from "../classify-refusal";
import { maxIdLength, redactId, redactReason, shownCode, shownStatus, textsIn } from "../redact";
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
import { firstField, FormProblem, isText, type Place, placesOf, plain, requireField } from "../structure/fields";
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
      const facts = { action: "submit", method: "POST", url, headers: { "X-Svc-Async": "enable" }, secret } as const;
      return withRetries(context, () =>
        sendRequest(context, {
          ...facts,
          purpose: "submitting the image task",
          body: () => body,
          read: (response) => readSubmitted(response, context.apiKey(), secret),
          billed: sending,
          inputs: textsIn(Object.values(request)),
        }),
      );
    },
    poll(taskId, { secret }) {
      const url = `${baseUrl()}/api/v1/tasks/${encodeURIComponent(invisible(taskId))}`;
      const read = (response: SuccessResponse) => readTask(taskId, response, context.apiKey(), secret);
      const facts = { action: "poll", method: "GET", url, read, billed: false, secret } as const;
      return withRetries(context, () =>
        sendRequest(context, {
          ...facts,
          purpose: `looking up the image task ${taskId}`,
          readRefusal: (refusal, response) =>
            hasEnded(response) ? read(response) : isNoTask(refusal, response) && { taskId, ...unknownTask },
        }),
      ).catch((error: unknown) => {
        if (!(error instanceof RejectedError || error instanceof UnexpectedAnswerError)) throw error;
        const advice = `${error.advice ?? ""} To submit a new task instead, which is billed, change triggers.`;
        throw error.amend({ advice: advice.trim() });
      });
    },
  };
}

const submittedStatus = "PENDING";
/** As a service says it that has a state for tasks it does not know. */
const unknownTask = { taskStatus: "UNKNOWN", results: [], fields: "none", raw: {} };

const isTaskId = (value: unknown): value is string | number => isText(value) || Number.isSafeInteger(value);

/** What was paid for must not be lost because of a field that nobody needs. So only `task_id` must be there. */
function readSubmitted({ places }: SuccessResponse, apiKey: string, secret: boolean) {
  const taskId = String(requireField(places, "task_id", isTaskId));
  if (taskId.length > maxIdLength) throw new FormProblem(`a task_id of at most ${maxIdLength} characters`);
  return {
    taskId: redactId(taskId, apiKey),
    taskStatus: shownStatus(firstField(places, "task_status", isText) ?? submittedStatus, apiKey, { secret }),
  };
}

/** The task's own status. What stands deeper, or in an array beside the task, may be the status of a part of it. */
function statusIn({ json, places }: SuccessResponse) {
  const isTask = ({ record }: Place) => "task_status" in record || "task_id" in record;
  const outside = placesOf(json, undefined, false).filter(isTask);
  const found = outside.length > 0 ? outside : places;
  return { found, status: firstField(found, "task_status", isText) };
}

/** Whether a response, whatever its own status is, says that the task has ended, or may have. */
function hasEnded(response: SuccessResponse): boolean {
  const { status = "" } = statusIn(response);
  return taskProgress(status) === "ended" || isDoubtful(status);
}

/** Whether the service says that there is no such task. A gateway may say the same of any path, and name the path. */
function isNoTask(refusal: CloudVoiceError, { json, places }: SuccessResponse): boolean {
  if (!(refusal instanceof RejectedError) || places.length === 0) return refusal instanceof NotFoundError;
  const { code = "404", message = "" } = errorFields(json, true);
  const isNamed = !/^(404|(resource|route|path|page)?notfound)$/.test(plain(code)) || /(?<![/\w])task/i.test(message);
  return refusal.status === 410 || (refusal.status === 404 && isNamed);
}

function readTask(taskId: string, response: SuccessResponse, apiKey: string, secret: boolean): Task {
  const { body, json, url: lookUpUrl } = response;
  // A task that is described without a status has not ended.
  const { found, status = String(requireField(found, "task_id", isTaskId)) && submittedStatus } = statusIn(response);
  const { code, message = hasEnded(response) ? describeBody({ body }, json) : undefined } = errorFields(json);
  const shown = (text: string) => redactReason(text, apiKey);
  return {
    taskId,
    taskStatus: shownStatus(status, apiKey, { secret }),
    results: findImages(json, lookUpUrl).map((image): FoundImage => {
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
