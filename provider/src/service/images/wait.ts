import { taskProgress } from "../../rules/image";
import { CloudVoiceError } from "../../errors";
import type { Clock } from "../clock";
import type { ImageClient, Task } from "./client";

export interface WaitOptions {
  client: Pick<ImageClient, "poll">;
  clock: Clock;
  pollMs: number;
  timeoutMs: number;
  /** A line of life: at each change of state, and once a minute. */
  log: (line: string) => void;
}

/** Looks up a task until it has ended, well or not. A wait that runs out of time, or meets a state never heard of, throws. */
export async function waitForTask(taskId: string, firstStatus: string, options: WaitOptions): Promise<Task> {
  const { client, clock, pollMs, timeoutMs, log: tell } = options;
  const startedAt = clock.now();
  let saidAt = startedAt;
  let status = firstStatus;
  for (;;) {
    if (taskProgress(status) !== "succeeded")
      await clock.sleep(Math.min(pollMs, Math.max(0, startedAt + timeoutMs - clock.now())));
    const task = await client.poll(taskId);
    const waitedMs = clock.now() - startedAt;
    if (task.taskStatus !== status || clock.now() - saidAt >= 60_000) {
      tell(`${task.taskStatus} after ${Math.round(waitedMs / 1000)} s (task ${taskId})`);
      saidAt = clock.now();
      status = task.taskStatus;
    }
    const progress = taskProgress(task.taskStatus);
    if (progress === "succeeded" || progress === "ended") return task;
    if (progress === "unrecognised") {
      throw new CloudVoiceError(
        `the image task ${taskId} is in the state ${JSON.stringify(task.taskStatus)}, which this version does not know`,
      );
    }
    if (waitedMs >= timeoutMs) {
      throw new CloudVoiceError(
        `the image task ${taskId} is still ${task.taskStatus} after ${timeoutMs / 1000} s; the next update goes on waiting for it, at no cost (timeoutSeconds sets how long)`,
      );
    }
  }
}
