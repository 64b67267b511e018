import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { isNative, killCommandLine, outputOf, said, Stack } from "../support/stack";
import { until } from "../support/until";

/** An image task that a run has submitted survives the end of that run. The next run continues to wait for it. */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate({ finishAfterPolls: 1_000_000 });
  stack = await Stack.create(emulator, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05" });
  stack.program(`new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse", size: "64*48" });`);
});

const submissions = () => emulator.summary().tasks;
const taskStatus = async () => (await stack.resources())[0]?.outputs?.taskStatus;

/** Starts an update and waits until it polls its task. */
async function startUpdate() {
  const run = stack.start(["up", "--yes", "--skip-preview"]);
  const output = outputOf(run.child);
  await until(() => (emulator.summary().calls.poll ?? 0) >= 3);
  return { ...run, output };
}
type Update = Awaited<ReturnType<typeof startUpdate>>;

test.each<[string, (update: Update) => Promise<void> | void]>([
  [
    "Ctrl-C, pressed twice,",
    async ({ child, output }) => {
      child.kill("SIGINT");
      await until(() => output().includes("press ^C again"));
      child.kill("SIGINT");
    },
  ],
  ["a kill", ({ child }) => killCommandLine(child)],
])("%s between submission and end keeps the task on this machine", async (how, interrupt) => {
  const update = await startUpdate();
  await interrupt(update);
  expect((await update.done).code).not.toBe(0);

  emulator.setImages({ finishAfterPolls: 0 });
  await stack.pulumi("cancel", "--yes");
  const run = await stack.ok(stack.up());
  // A plugin is told of Ctrl-C, and then the state has the task.
  const isSaved = isNative() && how.startsWith("Ctrl-C");
  expect(said(run, "goes on with the task")).toBe(isSaved ? 0 : 1);
  expect(await taskStatus()).toBe("SUCCEEDED");
  expect(submissions()).toBe(1);

  await stack.ok(stack.destroy());
  await stack.ok(stack.up());
  expect(submissions()).toBe(2);
});

test("one Ctrl-C lets the task end", async () => {
  const { child, done } = await startUpdate();
  child.kill("SIGINT");
  emulator.setImages({ finishAfterPolls: 0 });
  await done;
  await stack.ok(stack.up());
  expect(await taskStatus()).toBe("SUCCEEDED");
  expect(submissions()).toBe(1);
});
