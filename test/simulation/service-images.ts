import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { Dialect } from "../../provider/emulator/forms";
import type { Outcome } from "../../provider/emulator/outcome";
import type { Processes } from "./process";
import type { ServiceHooks } from "./service";
import type { World } from "./world";

const dayMs = 24 * 3600 * 1000;

/** A PNG of one pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** The picture of a task: no two tasks have the same bytes. */
export function pictureOf(taskId: string): Buffer {
  const text = Buffer.from(`tEXttask\0${taskId}`, "latin1");
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(text.length - 4);
  checksum.writeUInt32BE(crc32(text));
  // Behind the signature and the header.
  return Buffer.concat([png.subarray(0, 33), length, text, checksum, png.subarray(33)]);
}

interface Task {
  prompt: string;
  /** Another task was paid for in its place. */
  isPaidAgain: boolean;
  readyMs: number;
  submittedMs: number;
  polls: number;
}

/** Image tasks and decisions. */
export class Images {
  private readonly tasks = new Map<string, Task>();

  constructor(
    private readonly world: World,
    private readonly hooks: Pick<ServiceHooks, "billedTask" | "lostTask">,
    private readonly dialect: Dialect,
  ) {}

  private billed: string | undefined;

  /** The intent of the task that was billed since the last call. */
  takeBilled(): string | undefined {
    const { billed } = this;
    this.billed = undefined;
    return billed;
  }

  post(
    path: string,
    headers: Record<string, string>,
    body: Record<string, unknown>,
    processes: Processes,
  ): object | undefined {
    if (path === "/api/v1/services/aigc/text2image/image-synthesis") {
      if (headers["X-Svc-Async"] !== "enable" && headers["x-svc-async"] !== "enable") return undefined;
      const { prompt } = body.input as { prompt: string };
      const task_id = `task-${this.tasks.size + 1}`;
      const workMs = processes.random.between(1000, 60_000);
      const intent = this.hooks.billedTask(processes, prompt);
      // Once its note has expired, a task that no state has is paid for once more. Which of the equal images it was for is not
      // known.
      const lost = [...this.tasks.values()].find(
        (task) => task.prompt === prompt && !task.isPaidAgain && this.world.now - task.submittedMs > 2 * dayMs,
      );
      if (lost) {
        lost.isPaidAgain = true;
        this.hooks.lostTask(intent);
      }
      this.billed = intent;
      this.tasks.set(task_id, {
        prompt,
        isPaidAgain: false,
        polls: 0,
        submittedMs: this.world.now,
        readyMs: this.world.now + workMs,
      });
      return { task_id, task_status: "PENDING" };
    }
    if (path !== "/compatible-mode/v1/systemone") return undefined;
    const questions = Object.keys(body.questions as object);
    return {
      model: body.model,
      answers: Object.fromEntries(questions.map((id) => [id, { type: "noul", noul: 0.5 }])),
      input_tokens: 7,
      latency_ms: 12,
    };
  }

  poll(path: string): Outcome | undefined {
    const task_id = /^\/api\/v1\/tasks\/(.+)$/.exec(path)?.[1];
    if (task_id === undefined) return undefined;
    const task = this.tasks.get(task_id);
    const { waiting, polls, unknown } = this.dialect.task;
    const inState = (task_status: string, others = {}) => ({
      status: 200,
      output: { task_id, task_status, ...others },
    });
    if (task === undefined || this.isForgotten(task))
      return unknown === "state"
        ? inState("UNKNOWN")
        : { status: Number(unknown), code: "TaskNotFound", message: "no task" };
    if (++task.polls <= polls || this.world.now < task.readyMs)
      return inState(waiting[Math.min(task.polls, waiting.length) - 1] ?? "RUNNING");
    const origin = this.dialect.task.addresses === "paths" ? "" : "https://images.example";
    return inState("SUCCEEDED", { results: [{ url: `${origin}/${task_id}.png` }] });
  }

  /** Whether the service has forgotten the task, and its URLs are dead. */
  isGone(taskId: string): boolean {
    const task = this.tasks.get(taskId);
    return task === undefined || this.isForgotten(task);
  }

  private isForgotten({ submittedMs }: Task): boolean {
    return this.world.now - submittedMs > dayMs;
  }

  download(url: string) {
    const { redirects } = this.dialect.task;
    if (redirects !== "none" && !url.includes("?moved")) {
      const { origin, pathname } = new URL(url);
      const location = `${redirects === "absolute" ? origin : ""}${pathname}?moved=1`;
      return { status: 302, headers: { location }, body: Readable.from([]) };
    }
    const taskId = /([^/]+)\.png(\?moved=1)?$/.exec(url)?.[1] ?? "";
    const picture = this.isGone(taskId) ? undefined : pictureOf(taskId);
    return {
      status: picture ? 200 : 404,
      headers: { "content-length": String(picture?.length ?? 0) },
      body: Readable.from(picture ? [picture] : []),
    };
  }
}
