import { availableParallelism } from "node:os";
import { startJob } from "../support/job";
import { events } from "../support/runner";
import { until } from "../support/until";

/*
 * A job that is cancelled during an update, as a runner does it: SIGINT to the process of the step, 7.5 s later SIGTERM, 2.5 s
 * later SIGKILL, while later steps save the journal. `CLOUDVOICE_CANCELS=1,5,20` cancels after other numbers of billed calls.
 */

const moments = (process.env.CLOUDVOICE_CANCELS ?? "0,3,14,40").split(",").map(Number);
const places = [...moments.map((calls) => ["a machine", calls] as const), ["a container", 14] as const];
const [images, voices] = [8, 40];
/** How many resources the engine works on at the same time. */
const parallel = 4 * availableParallelism();

test.each(places)(
  "cancelled on %s after %d billed calls: Pulumi has ended before the journal is saved, and nothing is paid for twice",
  async (place, calls) => {
    const { emulator, stack, runner, job } = await startJob({ createDelayMs: 150, finishAfterPolls: 0 });
    runner.isContainer = place === "a container";
    stack.program(`
    for (let i = 0; i < ${images}; i++) new cv.GeneratedImage("image" + i, { model: "svc-image", prompt: "Lighthouse " + i });
    for (let i = 0; i < ${voices}; i++) new cv.CloudVoice("voice" + i, { targetModel: model, audio: "a.wav" });`);
    Object.assign(runner.environment, {
      ...{
        CLOUDVOICE_IMAGE_POLL_SECONDS: "4",
        CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "5",
        CLOUDVOICE_SETTLE_SECONDS: "2",
      },
    });
    const billed = () => emulator.summary().tasks + emulator.summary().voicesBilled;
    let atCancel = 0;
    const cancelled = await job(events.push, {}, async () => {
      await until(() => (calls === 0 ? emulator.ledger().length > 0 : billed() >= calls));
      atCancel = billed();
    });
    expect(cancelled.result).toBe("cancelled");
    const atEnd = emulator.ledger().length;
    // In a container, Pulumi goes on until the next step ends it.
    if (!runner.isContainer) {
      expect(cancelled.log).toContain("Pulumi has ended");
      expect(billed() - atCancel).toBeLessThanOrEqual(parallel);
    }

    // The next job runs on another machine, which has what the cancelled one has saved, and no lock to remove.
    runner.throwAway();
    expect(await job(events.push)).toMatchObject({ result: "success" });
    expect(emulator.ledger().length).toBeGreaterThan(atEnd);
    expect(emulator.summary()).toMatchObject({ tasks: images, voicesBilled: voices });
    expect(emulator.voices()).toHaveLength(voices);
  },
);
