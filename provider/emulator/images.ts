import { createHash, randomUUID } from "node:crypto";
import * as z from "zod";
import { type Dialect, hostileForm } from "./forms";
import type { Fate, TaskRow } from "./ledger";
import { invalid, type Outcome } from "./outcome";

/** When a task ends. If no rule is set, a task has ended when it is looked up for the first time. */
export interface ImageRules {
  finishAfterPolls: number;
  finishAfterMs: number;
}

export interface RunningTask extends TaskRow {
  submittedMs: number;
  polls: number;
  /** The prompt. It is not saved in the ledger's file, because it can be secret. */
  prompt?: string | undefined;
}

const dayMs = 24 * 3600 * 1000;
/**
 * The most images of a task, and the longest side of an image, that the emulator generates. It accepts any number and
 * size.
 */
const mostImages = 100;
const longestSide = 4096;

/** The values of `model` (contract 4.5). */
const imageModels = ["svc-image-plus", "svc-image"];

/**
 * The body of a submission (contract 4.5). The contract does not limit parameters and prompts, so any value is
 * accepted.
 */
const submission = z.strictObject({
  model: z.enum(imageModels),
  input: z.strictObject({ prompt: z.string() }),
  parameters: z
    .strictObject({
      negative_prompt: z.string().optional(),
      size: z
        .string()
        .regex(/^\d+\*\d+$/)
        .optional(),
      n: z.number().int().optional(),
      prompt_extend: z.boolean().optional(),
      watermark: z.boolean().optional(),
    })
    .optional(),
});

/** Words that determine how a task ends if its prompt contains them. */
const fates: [word: string, fate: Fate][] = [
  ["[fail]", "FAILED"],
  ["[cancel]", "CANCELED"],
  ["[unknown]", "UNKNOWN"],
  ["[partial]", "PARTIAL"],
  ["[archive]", "ARCHIVED"],
];

/** Submits a task (contract 4.5). */
export function submitTask(
  body: unknown,
  asynchronous: boolean,
  tasks: Map<string, RunningTask>,
  nowMs: number,
  dialect: Pick<Dialect, "task" | "hostile">,
): Outcome {
  if (!asynchronous)
    return { status: 403, code: "AccessDenied", message: "current user api does not support synchronous calls." };
  const parsed = submission.safeParse(body);
  if (!parsed.success) return invalid(z.prettifyError(parsed.error));
  const { model, input, parameters } = parsed.data;
  const { size = "1664*928", n = 1 } = parameters ?? {};
  const seed = createHash("sha256")
    .update(JSON.stringify([model, input.prompt]))
    .digest("hex")
    .slice(0, 12);
  const fate = fates.find(([word]) => input.prompt.includes(word))?.[1] ?? "SUCCEEDED";
  const task: TaskRow = { taskId: newTaskId(dialect), size, n, seed, fate };
  tasks.set(task.taskId, { ...task, submittedMs: nowMs, polls: 0, prompt: input.prompt });
  return { status: 200, output: { task_status: "PENDING", task_id: task.taskId }, effect: { task } };
}

/** Looks up a task (contract 4.6). An unknown or expired task has the state `UNKNOWN`, not the status 404. */
export function lookUpTask(
  taskId: string,
  tasks: Map<string, RunningTask>,
  rules: ImageRules,
  nowMs: number,
  dialect: Pick<Dialect, "task">,
  urlOf: (task: RunningTask, index: number) => string,
): Outcome {
  const task = tasks.get(taskId);
  const { waiting, polls, unknown } = dialect.task;
  if (!task || nowMs - task.submittedMs >= dayMs) {
    if (unknown === "state") return { status: 200, output: { task_id: taskId, task_status: "UNKNOWN" } };
    return { status: Number(unknown), code: "TaskNotFound", message: `The task ${taskId} was not found.` };
  }
  task.polls++;
  const waitedMs = nowMs - task.submittedMs;
  if (task.polls <= Math.max(rules.finishAfterPolls, polls) || waitedMs < rules.finishAfterMs) {
    const status = waiting[Math.min(task.polls, waiting.length) - 1] ?? "RUNNING";
    return { status: 200, output: { task_id: taskId, task_status: status, submit_time: timeOf(task.submittedMs) } };
  }
  const ended = { task_id: taskId, submit_time: timeOf(task.submittedMs), end_time: timeOf(nowMs) };
  switch (task.fate) {
    case "SUCCEEDED":
    case "PARTIAL": {
      const results = Array.from({ length: imagesOf(task) }, (_, index) =>
        task.fate === "PARTIAL" && index % 2 === 1
          ? { code: "DataInspectionFailed", message: "Output data may contain inappropriate content." }
          : {
              url: urlOf(task, index),
              ...(task.prompt !== undefined && {
                orig_prompt: task.prompt,
                actual_prompt: `${task.prompt}, in detail`,
              }),
            },
      );
      const failed = results.filter((result) => "code" in result).length;
      const metrics = { TOTAL: results.length, SUCCEEDED: results.length - failed, FAILED: failed };
      return {
        status: 200,
        output: { ...ended, task_status: "SUCCEEDED", results, task_metrics: metrics },
        usage: { image_count: results.length - failed },
      };
    }
    case "FAILED":
      return {
        status: 200,
        output: {
          ...ended,
          task_status: "FAILED",
          code: "DataInspectionFailed",
          message: `Input may be inappropriate: ${task.prompt ?? ""}`,
        },
      };
    default:
      return { status: 200, output: { ...ended, task_status: task.fate } };
  }
}

/** The signed URL of an image. It expires after a day. */
export function imageUrl(base: string, task: RunningTask, index: number, nowMs: number): string {
  const expires = Math.floor((nowMs + dayMs) / 1000);
  return `${base}/images/${encodeURIComponent(task.taskId)}/${index}.png?Expires=${expires}&Signature=${signature(task, index)}`;
}

/** The task to which the signed URL of an image belongs. Undefined if the URL is invalid or has expired. */
export function imageAt(
  taskId: string,
  index: number,
  query: { Expires?: unknown; Signature?: unknown },
  tasks: Map<string, RunningTask>,
  nowMs: number,
): RunningTask | undefined {
  const task = tasks.get(taskId);
  const isCurrent = Number(query.Expires) * 1000 > nowMs;
  if (!task || !isCurrent || index >= imagesOf(task)) return undefined;
  return query.Signature === signature(task, index) ? task : undefined;
}

function signature(task: TaskRow, index: number): string {
  return createHash("sha256").update(`${task.taskId}${task.seed}${index}`).digest("hex").slice(0, 20);
}

/** The number of images that a task generates. The contract allows any `n`, even a negative number. */
function imagesOf({ n }: TaskRow): number {
  return Math.min(Math.max(n, 0), mostImages);
}

function newTaskId({ task, hostile }: Pick<Dialect, "task" | "hostile">): string {
  const uuid = randomUUID();
  const hex = uuid.replaceAll("-", "");
  const ids = {
    uuid,
    digits: String(parseInt(hex.slice(0, 12), 16)),
    colons: `task:img/${hex.slice(0, 16)}`,
    base64: Buffer.from(hex, "hex").toString("base64"),
  };
  return ids[task.id] + hostileForm("", hostile && "short");
}

/**
 * Paints a PNG of the requested size in two colours. The colours depend on the task's seed and the index of the image.
 */
export async function paint(task: TaskRow, index: number): Promise<Buffer> {
  const { PNG } = await import("pngjs");
  const [width = 1, height = 1] = task.size.split("*").map((side) => Math.min(Math.max(Number(side), 1), longestSide));
  const colours = createHash("sha256").update(`${task.seed}${index}`).digest();
  const picture = new PNG({ width, height });
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const pick = ((x >> 6) + (y >> 6)) % 2 === 0 ? 0 : 3;
      picture.data[at] = colours[pick] ?? 0;
      picture.data[at + 1] = colours[pick + 1] ?? 0;
      picture.data[at + 2] = colours[pick + 2] ?? 0;
      picture.data[at + 3] = 255;
    }
  }
  return PNG.sync.write(picture, { filterType: 0, deflateLevel: 1 });
}

/** A time in the format `YYYY-MM-DD HH:mm:ss.SSS`. */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").replace("Z", "");
}
