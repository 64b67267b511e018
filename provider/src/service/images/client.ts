import { z } from "zod";
import type { ImageInputs } from "../../rules/image-inputs";
import { type WithRequestId, call, type Caller } from "../call";
import { passesByItself, paying, retrying } from "../retry";

export type ImageRequest = Omit<ImageInputs, "triggers" | "saveTo" | "timeoutSeconds">;

export interface Task {
  taskId: string;
  taskStatus: string;
  results: TaskResult[];
  code?: string | undefined;
  message?: string | undefined;
}

export type TaskResult = { url: string; actualPrompt?: string | undefined } | { code: string; message: string };

/** The image interface (contract 4.5 and 4.6). */
export interface ImageClient {
  /**
   * One task, and its cost. Sent again only when it certainly was not taken; a lost answer is thrown with `billed: "unknown"`. `mayPay` is
   * asked before each sending.
   */
  submit(
    request: ImageRequest,
    mayPay?: () => Promise<void>,
  ): Promise<WithRequestId<{ taskId: string; taskStatus: string }>>;
  poll(taskId: string): Promise<Task>;
}

const submitAnswer = z
  .object({ task_id: z.string().min(1), task_status: z.string().default("PENDING") })
  .transform((answer) => ({ taskId: answer.task_id, taskStatus: answer.task_status }));

const taskResult = z.union([
  z
    .object({ url: z.url({ protocol: /^https?$/ }), actual_prompt: z.string().nullish() })
    .transform(({ url, actual_prompt }) => ({ url, actualPrompt: actual_prompt ?? undefined })),
  z
    .object({ code: z.string().nullish(), message: z.string().nullish() })
    .refine(({ code, message }) => Boolean(code ?? message), "neither an image's address nor why it failed")
    .transform(({ code, message }) => ({ code: code ?? "unknown", message: message ?? "no reason given" })),
]);

const taskAnswer = z
  .object({
    task_status: z.string().min(1),
    results: z.array(taskResult).nullish(),
    code: z.string().nullish(),
    message: z.string().nullish(),
  })
  .transform((answer) => ({
    taskStatus: answer.task_status,
    results: answer.results ?? [],
    code: answer.code ?? undefined,
    message: answer.message ?? undefined,
  }));

export function imageClient(caller: Caller, baseUrl: () => string): ImageClient {
  return {
    submit(request, mayPay) {
      const body = submitBody(request);
      const url = `${baseUrl()}/api/v1/services/aigc/text2image/image-synthesis`;
      const hidden = [request.prompt, request.negativePrompt];
      return paying(caller, mayPay, () =>
        call(caller, {
          doing: "submitting the image task",
          method: "POST",
          url,
          headers: { "x-svc-async": "enable" },
          body: () => body,
          answer: submitAnswer,
          paid: true,
          hidden,
        }),
      );
    },
    async poll(taskId) {
      const url = `${baseUrl()}/api/v1/tasks/${encodeURIComponent(taskId)}`;
      const task = await retrying(caller, passesByItself, () =>
        call(caller, {
          doing: `looking up the image task ${taskId}`,
          method: "GET",
          url,
          answer: taskAnswer,
          paid: false,
        }),
      );
      return { ...task, taskId };
    },
  };
}

function submitBody({ model, prompt, negativePrompt, size, n, promptExtend, watermark }: ImageRequest): string {
  const parameters = { negative_prompt: negativePrompt, size, n, prompt_extend: promptExtend, watermark };
  const given = Object.values(parameters).some((value) => value !== undefined);
  return JSON.stringify({ model, input: { prompt }, ...(given && { parameters }) });
}
