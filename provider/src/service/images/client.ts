import { z } from "zod";
import type { ImageInputs } from "../../rules/image-inputs";
import { certainlyNotDone, isTransient, withRetries } from "../retry";
import { describeShape } from "../response-fields";
import { type CallContext, sendRequest, type WithRequestId } from "../send-request";

export type ImageRequest = Omit<ImageInputs, "triggers" | "saveTo" | "timeoutSeconds" | "adoptTask">;

export interface Task {
  taskId: string;
  taskStatus: string;
  results: TaskResult[];
  code?: string | undefined;
  message?: string | undefined;
  /** The names of the fields in the response. */
  fields: string;
}

/** An image, why it failed, or the names of the fields if the form is not known. */
export type TaskResult =
  | { url: string; actualPrompt?: string | undefined }
  | { code: string | undefined; message: string }
  | { unknownForm: string };

/** The image interface. */
export interface ImageClient {
  /**
   * Submits one task, which is billed. Retried only when the service certainly did not accept it; a lost response
   * rejects with `billed: "unknown"`. `beforeSend` runs before each attempt. If a prompt is `secret`, errors do not
   * repeat what the service says.
   */
  submit(
    request: ImageRequest,
    beforeSend?: () => Promise<void>,
    secret?: boolean,
  ): Promise<WithRequestId<{ taskId: string; taskStatus: string }>>;
  /** If a prompt is `secret`, or may be, errors do not repeat what the service says. */
  poll(taskId: string, secret: boolean): Promise<Task>;
}

// What was paid for must not be lost because of a field that nobody needs. So only those that are needed are checked.
const optionalText = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(undefined);

const submitResponse = z
  .object({ task_id: z.string().min(1), task_status: z.string().catch("PENDING") })
  .transform((fields) => ({ taskId: fields.task_id, taskStatus: fields.task_status }));

const taskResult = z.union([
  z
    .object({ url: z.url({ protocol: /^https?$/ }), actual_prompt: optionalText })
    .transform(({ url, actual_prompt }) => ({ url, actualPrompt: actual_prompt ?? undefined })),
  z
    .object({ code: optionalText, message: optionalText })
    .refine(({ code, message }) => Boolean(code ?? message))
    .transform(({ code, message }) => ({
      code: code ?? undefined,
      message: message ?? "the service gave no reason",
    })),
  z.unknown().transform((result) => ({ unknownForm: describeShape(result) })),
]);

const taskResponse = z
  .looseObject({
    task_status: z.string().min(1),
    results: z.array(taskResult).nullish(),
    code: optionalText,
    message: optionalText,
  })
  // The fields come at one level, beside the objects that held them.
  .transform(({ output: _output, usage: _usage, ...fields }) => ({
    taskStatus: fields.task_status,
    results: fields.results ?? [],
    code: fields.code ?? undefined,
    message: fields.message ?? undefined,
    fields: describeShape(fields),
  }));

export function imageClient(context: CallContext, baseUrl: () => string): ImageClient {
  return {
    submit(request, beforeSend, secret = false) {
      const body = submitBody(request);
      const url = `${baseUrl()}/api/v1/services/aigc/text2image/image-synthesis`;
      return withRetries(context, certainlyNotDone, () =>
        sendRequest(context, {
          purpose: "submitting the image task",
          action: "submit",
          method: "POST",
          url,
          headers: { "x-svc-async": "enable" },
          body: () => body,
          responseSchema: submitResponse,
          expectedFields: ["task_id"],
          isBillable: true,
          secret,
          beforeSend,
        }),
      );
    },
    async poll(taskId, secret) {
      const url = `${baseUrl()}/api/v1/tasks/${encodeURIComponent(taskId)}`;
      const task = await withRetries(context, isTransient, () =>
        sendRequest(context, {
          purpose: `looking up the image task ${taskId}`,
          action: "poll",
          method: "GET",
          url,
          responseSchema: taskResponse,
          expectedFields: ["task_status"],
          isBillable: false,
          secret,
        }),
      );
      return { ...task, taskId };
    },
  };
}

function submitBody({ model, prompt, negativePrompt, size, n, promptExtend, watermark }: ImageRequest): string {
  const parameters = { negative_prompt: negativePrompt, size, n, prompt_extend: promptExtend, watermark };
  const hasParameters = Object.values(parameters).some((value) => value !== undefined);
  return JSON.stringify({ model, input: { prompt }, ...(hasParameters && { parameters }) });
}
