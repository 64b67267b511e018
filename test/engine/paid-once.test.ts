import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { held, listed } from "../support/held";
import { killCommandLine, outputOf, said, Stack } from "../support/stack";
import { until } from "../support/until";

/**
 * Twelve voices are billed twelve times, however late the service's list is and whenever the run is killed. So are an
 * image task and a decision, once each.
 */

const wanted = 12;
const settings = { CLOUDVOICE_SETTLE_SECONDS: "60", CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "30" };
const program = `for (let i = 0; i < ${wanted}; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`;

test("a run is killed and its journal is lost: `pulumi-cloudvoice up` hands over the pending creates of its state", async () => {
  const emulator = await emulate({ listDelayMs: 3000 });
  const stack = (await Stack.create(emulator, settings)).program(program);
  const release = emulator.hold("create");
  const killed = stack.start(["up", "--yes", "--skip-preview", "--parallel", "4"]);
  await until(() => emulator.underWay("create") === 4);
  killCommandLine(killed.child);
  await killed.done;
  await stack.pulumi("cancel", "--yes");
  release();

  const elsewhere = stack.with({
    XDG_STATE_HOME: `${stack.folder}/.state-of-another-machine`,
    CLOUDVOICE_SETTLE_SECONDS: "5",
    CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "5",
  });
  const run = await cloudvoice(elsewhere, ["up", "--stack", "dev"]);
  expect([run.code, run.stdout + run.stderr]).toEqual([0, expect.not.stringContaining("CLOUDVOICE_ACCEPT")]);
  expect(emulator.summary().voicesBilled).toBe(wanted);
  expect(await held(stack)).toEqual(listed(emulator));
  expect(listed(emulator)).toHaveLength(wanted);
});

test("a run without checkpoints is killed: the next one goes on with its image task and uses its answers", async () => {
  const emulator = await emulate({ finishAfterPolls: 1_000_000 });
  const stack = await Stack.create(emulator, {
    CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05",
    PULUMI_EXPERIMENTAL: "true",
    PULUMI_SKIP_CHECKPOINTS: "true",
  });
  stack.program(`
    new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse", size: "64*48" });
    new cv.Decision("gate", { state: "risky=no", questions: { risky: cv.question.noul("Is this risky?") } });
  `);
  const { child, done } = stack.start(["up", "--yes", "--skip-preview"]);
  const output = outputOf(child);
  await until(() => /Decision gate created/.test(output()) && (emulator.summary().calls.poll ?? 0) >= 3);
  killCommandLine(child);
  await done;
  await stack.pulumi("cancel", "--yes");
  expect(await stack.resources()).toEqual([]);

  emulator.setImages({ finishAfterPolls: 0 });
  const run = await stack.ok(stack.up());
  expect(emulator.summary()).toMatchObject({ tasks: 1, calls: { submit: 1, decide: 1 } });
  expect(said(run, "goes on with the task")).toBe(1);
  expect(said(run, "reusing the answers of an interrupted attempt")).toBe(1);
  const saved = await stack.resources();
  expect(saved).toHaveLength(2);
  const image = saved.find(({ type }) => type.endsWith(":GeneratedImage"));
  expect(image?.outputs?.taskStatus).toBe("SUCCEEDED");
});
