import { availableParallelism } from "node:os";
import { startJob } from "../support/job";
import { events } from "../support/runner";
import { until } from "../support/until";

/*
 * A job that is cancelled during an update, as a runner does it: a signal to the process of the step, while later steps
 * save the journal. `CLOUDVOICE_CANCELS=1,5,20` cancels after other numbers of billed calls.
 */

const moments = (process.env.CLOUDVOICE_CANCELS ?? "3,14").split(",").map(Number);
const places = [...moments.map((calls) => ["a machine", calls] as const), ["a container", 14] as const];
const [images, voices] = [8, 40];
/** How many resources the engine works on at the same time. */
const parallel = 4 * availableParallelism();

test.each(places)(
  "cancelled on %s after %d billed calls: nothing is paid for twice, and nothing begins any more",
  async (place, calls) => {
    const { emulator, stack, runner, job } = await startJob({ finishAfterPolls: 0 });
    runner.isContainer = place === "a container";
    stack.program(`
    for (let i = 0; i < ${images}; i++) new cv.GeneratedImage("image" + i, { model: "svc-image", prompt: "Lighthouse " + i });
    for (let i = 0; i < ${voices}; i++) new cv.CloudVoice("voice" + i, { targetModel: model, audio: "a.wav" });`);
    Object.assign(runner.environment, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1", CLOUDVOICE_SETTLE_SECONDS: "2" });
    const billed = () => emulator.summary().tasks + emulator.summary().voicesBilled;
    let most = 0;
    const cancelled = await job(events.push, {}, async (log) => {
      await until(() => billed() >= calls);
      const actions = ["create", "submit"] as const;
      const releases = actions.map((action) => emulator.hold(action));
      void until(() => log().includes("^C received")).then(() => {
        most = billed() + parallel;
        for (const release of releases) release();
      });
    });
    expect(cancelled.result).toBe("cancelled");
    const atEnd = emulator.ledger().length;
    // In a container, no signal reaches the step, and Pulumi goes on until the next step ends it.
    if (!runner.isContainer) expect(cancelled.log).toContain("Pulumi has ended");
    expect([billed() > 0, billed() <= most]).toEqual([true, true]);

    // The next job runs on another machine, which has what the cancelled one has saved, and no lock to remove.
    runner.throwAway();
    expect(await job(events.push)).toMatchObject({ result: "success" });
    expect(emulator.ledger().length).toBeGreaterThan(atEnd);
    expect(emulator.summary()).toMatchObject({ tasks: images, voicesBilled: voices });
    expect(emulator.voices()).toHaveLength(voices);
  },
);
