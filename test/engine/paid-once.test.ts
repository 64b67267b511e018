import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { killCommandLine, Stack } from "../support/stack";
import { until } from "../support/until";

/** Twelve voices are billed twelve times, however late the service's list is and whenever the run is killed. */

const wanted = 12;
const settings = { CLOUDVOICE_SETTLE_SECONDS: "12", CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "10" };
const program = `for (let i = 0; i < ${wanted}; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`;

async function setUp(options: Parameters<typeof emulate>[0]): Promise<{ emulator: Emulator; stack: Stack }> {
  const emulator = await emulate(options);
  const stack = await Stack.create(emulator, settings);
  return { emulator, stack: stack.program(program) };
}

async function expectPaidOnce(emulator: Emulator, stack: Stack): Promise<void> {
  expect(emulator.summary().voicesBilled).toBe(wanted);
  const held = (await stack.resources()).map(({ id }) => id).sort();
  expect(held).toEqual(
    emulator
      .voices()
      .map(({ voice }) => voice)
      .sort(),
  );
  expect(held).toHaveLength(wanted);
}

test("three responses are lost, and the list shows a new voice ten seconds late", async () => {
  const faults = [{ kind: "reset-after" as const, on: ["create" as const], times: 3 }];
  const { emulator, stack } = await setUp({ listDelayMs: 10_000, faults });
  const run = await stack.ok(stack.up());
  expect(run.output).toMatch(/response to creating .* was lost .* looked for during 12 s/);
  await expectPaidOnce(emulator, stack);
});

/** Kills the command line once some creates are done or under way, and starts it again at once. */
async function killAndRunAgain(emulator: Emulator, stack: Stack, next: Stack, begun: () => boolean): Promise<void> {
  const { child, done } = stack.start(["up", "--yes", "--skip-preview", "--parallel", "4"]);
  await until(begun);
  killCommandLine(child);
  await done;
  await stack.pulumi("cancel", "--yes");
  const again = await next.ok(next.up("--parallel", "12"));
  expect(again.output).toMatch(/an earlier run was interrupted while it created voices/);
  await expectPaidOnce(emulator, stack);
}

test("the run is killed and started again at once, the list ten seconds late", async () => {
  const { emulator, stack } = await setUp({ listDelayMs: 10_000, createDelayMs: 300 });
  await killAndRunAgain(emulator, stack, stack, () => emulator.voices().length >= 5);
});

test("the run is killed while creates take six seconds each, and started again at once", async () => {
  const { emulator, stack } = await setUp({ createDelayMs: 6000 });
  await killAndRunAgain(emulator, stack, stack, () => emulator.underWay("create") >= 3);
});

test("the next run is on another machine: the pending operations of the state are the evidence", async () => {
  const { emulator, stack } = await setUp({ createDelayMs: 4000, listDelayMs: 3000 });
  const elsewhere = stack.with({ XDG_STATE_HOME: `${stack.folder}/.state-of-another-machine` });
  await killAndRunAgain(emulator, stack, elsewhere, () => emulator.underWay("create") >= 3);
});

test("a run without checkpoints is killed: the journal is the evidence", async () => {
  const { emulator, stack } = await setUp({ createDelayMs: 4000, listDelayMs: 3000 });
  const fast = stack.with({ PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "true" });
  await killAndRunAgain(emulator, fast, fast, () => emulator.underWay("create") >= 3);
});
