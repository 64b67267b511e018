import { type CloudVoiceError, InputError, NotFoundError, RejectedError, UnexpectedAnswerError } from "../../errors";
import type { ImageInputs } from "../../rules/image-fields";
import { isDoubtful, taskProgress } from "../../rules/image";
import type { Forms } from "../../rules/settings";
import { visible } from "../../rules/visible";
import { redactReason, sentAsId, shownAsId, shownCode, shownStatus, textsIn } from "../redact";
import { describeBody, describeShape, shortenedCopy } from "../responses/describe";
import { errorFields } from "../responses/error";
import { FormProblem } from "../responses/forms";
import {
  findPictures,
  isIdOf,
  isTaskId,
  type PictureEntry,
  readSubmittedTask,
  taskStatusIn,
} from "../responses/images";
import { withRetries } from "../retry";
import { type BilledCall, type CallContext, sendRequest, type Received, type WithRequestId } from "../send-request";

export type ImageRequest = Omit<ImageInputs, "triggers" | "saveTo" | "timeoutSeconds" | "adoptTask">;

export interface Task {
  taskId: string;
  /** The task's state, spelled as in the response. Compare it case-insensitively. */
  taskStatus: string;
  results: PictureEntry[];
  code?: string | undefined;
  /** If the task failed: the reason in the service's words, or an unknown response as text. */
  message?: string | undefined;
  /** The service's id of the look-up. */
  requestId?: string;
  fields: string;
  /** The response as it becomes an output: without the API key and without control characters. */
  raw: unknown;
  /** The paths of the values that `raw` lacks or shortens, because they are too large. */
  missing: string[];
}

export type ImageClient = ReturnType<typeof imageClient>;

export function imageClient(context: CallContext, baseUrl: () => string) {
  const { forms } = context;
  const urlOf = (taskId: string) => `${baseUrl()}/api/v1/tasks/${encodeURIComponent(sentAsId(taskId))}`;
  return {
    /** Finds the pictures in a saved response, with the current setting `forms`. Does not send a request. */
    picturesIn: (taskId: string, output: unknown): PictureEntry[] => findPictures(output, urlOf(taskId), forms),
    /** Submits one task, which is billed. If the response is lost, rejects with `billed: "unknown"`. */
    submit(
      request: ImageRequest,
      { sending, secret = false }: BilledCall,
    ): Promise<WithRequestId<{ taskId: string; taskStatus: string }>> {
      return withRetries(context, () =>
        sendRequest(context, {
          purpose: "submitting the image task",
          action: "submit",
          method: "POST",
          url: `${baseUrl()}/api/v1/services/aigc/text2image/image-synthesis`,
          headers: { "X-Svc-Async": "enable" },
          body: () => submitBody(request),
          read: ({ json }) => {
            const { taskId, taskStatus } = readSubmittedTask(json, forms);
            const shown = shownStatus(taskStatus, context.apiKey(), { secret });
            return { taskId: shownAsId(taskId), taskStatus: shown };
          },
          billed: sending,
          secret,
          inputs: textsIn(Object.values(request)),
        }),
      );
    },
    /** Looks up a task. If the service or a gateway does not find the task, its state is `UNKNOWN`. */
    async poll(taskId: string, { secret }: { secret: boolean }): Promise<Task> {
      // An id such as `..` would change the path of the request.
      if (!isTaskId(sentAsId(taskId))) throw new InputError(`${visible(taskId)} is not the id of an image task`);
      const request = { ...lookUpRequest(context, taskId, secret), url: urlOf(taskId) };
      try {
        return await withRetries(context, () => sendRequest(context, request));
      } catch (error) {
        if (!(error instanceof RejectedError || error instanceof UnexpectedAnswerError)) throw error;
        const advice = `${error.advice ?? ""} To submit a new task instead, which is billed, change triggers.`;
        throw error.amend({ advice: advice.trim() });
      }
    },
  };
}

function lookUpRequest({ apiKey, forms }: CallContext, taskId: string, secret: boolean) {
  const id = sentAsId(taskId);
  const read = (response: Received): Task => {
    const status = taskStatusIn(response.json, id, forms);
    if (status === undefined) throw new FormProblem("task_status");
    return taskFrom(taskId, status, response, { apiKey: apiKey(), secret, forms });
  };
  const readRefusal = (refusal: CloudVoiceError, response: Received): Task | false => {
    const status = taskStatusIn(response.json, id, forms) ?? "";
    // A refused call (e.g. for its API key) and a failed server say nothing about a task, unless they name its id.
    const isOfTask = refusal instanceof RejectedError || refusal instanceof NotFoundError;
    const isOfCall = !isOfTask || [401, 403].includes(refusal.status ?? 0);
    if (isOfCall && !textsIn(response.json).some((text) => isIdOf(id, text))) return false;
    if (taskProgress(status) === "failed" || isDoubtful(status)) return read(response);
    const isNotFound = refusal instanceof RejectedError && [404, 410].includes(refusal.status ?? 0);
    if (!isNotFound && !(refusal instanceof NotFoundError)) return false;
    const message = secret ? undefined : refusal.message;
    return { taskId, taskStatus: "UNKNOWN", results: [], message, fields: "none", raw: {}, missing: [] };
  };
  return {
    purpose: `looking up the image task ${taskId}`,
    action: "poll",
    method: "GET",
    read,
    readRefusal,
    billed: false,
    secret,
    mayCarryPictures: true,
  } as const;
}

function taskFrom(
  taskId: string,
  status: string,
  { body, json, url: lookUpUrl }: Received,
  { apiKey, secret, forms }: { apiKey: string; secret: boolean; forms: Forms | undefined },
): Task {
  const isAtFault = taskProgress(status) === "failed" || isDoubtful(status);
  const { code, message = isAtFault ? describeBody({ body }, json) : undefined } = errorFields(json);
  const shown = (text: string) => redactReason(text, apiKey);
  const { copy: raw, missing } = shortenedCopy(json);
  return {
    taskId,
    taskStatus: shownStatus(status, apiKey, { secret }),
    results: findPictures(json, lookUpUrl, forms).map((image): PictureEntry => {
      if ("unknownForm" in image) return image;
      if ("code" in image) return { ...image, code: image.code && shownCode(image.code, apiKey, { secret }) };
      const { actualPrompt, ...picture } = image;
      return { ...picture, ...(actualPrompt !== undefined && { actualPrompt: shown(actualPrompt) }) };
    }),
    code: code && shownCode(code, apiKey, { secret }),
    message: message && shown(message),
    fields: describeShape(json),
    raw,
    missing,
  };
}

function submitBody({ model, prompt, negativePrompt, size, n, promptExtend, watermark }: ImageRequest): string {
  const parameters = { negative_prompt: negativePrompt, size, n, prompt_extend: promptExtend, watermark };
  const hasParameters = Object.values(parameters).some((value) => value !== undefined);
  return JSON.stringify({ model, input: { prompt }, ...(hasParameters && { parameters }) });
}
