import { type SeenStatus, isDoubtful, type TaskProgress, taskProgress } from "../../rules/image";
import { CloudVoiceError, RejectedError } from "../../errors";
import type { Clock } from "../clock";
import type { ImageClient, Task } from "./client";

export interface WaitOptions {
  client: Pick<ImageClient, "poll">;
  secret: boolean;
  clock: Clock;
  pollMs: number;
  timeoutMs: number;
  /** How long to go on looking up a task whose state is doubtful (see `isDoubtful`). */
  settleMs: number;
  /** Called with one line when the task's state changes, and at least once a minute. */
  log: (line: string) => void;
}

const logIntervalMs = 60_000;

export type PolledTask = Task & { progress: TaskProgress };

/** Polls a task until it has ended or its state stays doubtful. Rejects at the timeout. */
export async function waitForTask(taskId: string, firstStatus: string, options: WaitOptions): Promise<PolledTask> {
  const { client, secret, clock, pollMs, timeoutMs, settleMs, log } = options;
  const startedAt = clock.now();
  const history: SeenStatus[] = [];
  let loggedAt = startedAt;
  let status = firstStatus;
  for (;;) {
    if (taskProgress(status) !== "succeeded")
      await clock.sleep(Math.min(pollMs, Math.max(0, startedAt + timeoutMs - clock.now())));
    const task = await client.poll(taskId, { secret }).catch((error: unknown) => {
      // For a moment, the service may not find a task that it has just accepted.
      const mayPass = error instanceof RejectedError && clock.now() - startedAt < Math.min(settleMs, timeoutMs);
      if (!mayPass || taskProgress(status) === "succeeded") throw error;
    });
    if (!task) continue;
    const waitedMs = clock.now() - startedAt;
    if (task.taskStatus !== status || clock.now() - loggedAt >= logIntervalMs) {
      log(`${task.taskStatus} after ${Math.round(waitedMs / 1000)} s (task ${taskId})`);
      loggedAt = clock.now();
      status = task.taskStatus;
    }
    history.push({ status, atMs: clock.now() });
    const progress = taskProgress(history, settleMs);
    if (progress !== "waiting") return { ...task, progress };
    if (waitedMs >= timeoutMs)
      throw new CloudVoiceError(`the image task ${taskId} is still ${task.taskStatus} after ${timeoutMs / 1000} s`, {
        advice:
          "The next update continues to wait for it, at no cost. To wait longer in one update, raise timeoutSeconds.",
      });
  }
}

/** Looks up a task. If its state is doubtful, looks it up again for up to `settleMs`. */
export async function lookUpTask(
  taskId: string,
  { client, secret, clock, pollMs, settleMs }: Omit<WaitOptions, "timeoutMs" | "log">,
): Promise<PolledTask> {
  const history: SeenStatus[] = [];
  for (;;) {
    const task = await client.poll(taskId, { secret });
    history.push({ status: task.taskStatus, atMs: clock.now() });
    const progress = taskProgress(history, settleMs);
    if (progress !== "waiting" || !isDoubtful(task.taskStatus)) return { ...task, progress };
    await clock.sleep(pollMs);
  }
}
