import { taskProgress } from "../../rules/image";
import { CloudVoiceError } from "../../errors";
import type { Clock } from "../clock";
import type { ImageClient, Task } from "./client";

export interface WaitOptions {
  client: Pick<ImageClient, "poll">;
  /** Whether an input of the task is secret. */
  secret: boolean;
  clock: Clock;
  pollMs: number;
  timeoutMs: number;
  /** Called with one line at each change of the task's state, and at least once a minute. */
  log: (line: string) => void;
}

const logIntervalMs = 60_000;

/** Polls a task until it has succeeded or failed. Rejects at the timeout, and at a state that is not known. */
export async function waitForTask(taskId: string, firstStatus: string, options: WaitOptions): Promise<Task> {
  const { client, secret, clock, pollMs, timeoutMs, log } = options;
  const startedAt = clock.now();
  let loggedAt = startedAt;
  let status = firstStatus;
  for (;;) {
    if (taskProgress(status) !== "succeeded")
      await clock.sleep(Math.min(pollMs, Math.max(0, startedAt + timeoutMs - clock.now())));
    const task = await client.poll(taskId, secret);
    const waitedMs = clock.now() - startedAt;
    if (task.taskStatus !== status || clock.now() - loggedAt >= logIntervalMs) {
      log(`${task.taskStatus} after ${Math.round(waitedMs / 1000)} s (task ${taskId})`);
      loggedAt = clock.now();
      status = task.taskStatus;
    }
    const progress = taskProgress(task.taskStatus);
    if (progress === "succeeded" || progress === "ended") return task;
    if (progress === "unrecognised") {
      const reason =
        `the image task ${taskId} is in the state ${JSON.stringify(task.taskStatus)}, ` +
        "which this version of pulumi-cloudvoice does not know";
      throw new CloudVoiceError(reason, { advice: "Install a newer version." });
    }
    if (waitedMs >= timeoutMs)
      throw new CloudVoiceError(`the image task ${taskId} is still ${task.taskStatus} after ${timeoutMs / 1000} s`, {
        advice:
          "The next update continues to wait for it, at no cost. To wait longer in one update, raise timeoutSeconds.",
      });
  }
}
