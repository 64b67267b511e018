import { killRun } from "../../tools/chaos/kill";
import { asked } from "../support/asked";
import { emulate } from "../support/emulate";
import { held, listed } from "../support/held";
import { Stack } from "../support/stack";
import { until } from "../support/until";

/** A state, a journal or the end of a run is lost. Nothing is paid twice, and nothing live is deleted. */

const settings = {
  CLOUDVOICE_SETTLE_SECONDS: "1",
  CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "2",
  CLOUDVOICE_MAX_RETRIES: "0",
};
const voice = (name: string, recording = name) =>
  `new cv.CloudVoice("${name}", { targetModel: model, audio: "https://audio.example/${recording}" });`;

async function kill(stack: Stack, { child, done }: ReturnType<Stack["start"]>): Promise<void> {
  killRun(child.pid ?? 0, "everything");
  await done;
  await stack.pulumi("cancel", "--yes");
}

test("a lost state that a preview has seen: asked once, and yes bills nothing; destroy --refresh then deletes it", async () => {
  const emulator = await emulate();
  const stack = (await Stack.create(emulator, settings)).program(voice("a") + voice("b"));
  const empty = await stack.state();
  await stack.ok(stack.up());
  await stack.setState(empty);
  // No run has seen the voices in a state yet, so the journal alone says whose they are.
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  await stack.setState(empty);
  const yes = await asked(stack, "take", stack.up());
  await yes.ok(yes.up());
  expect([await held(stack), emulator.summary().voicesBilled]).toEqual([listed(emulator), 2]);
  await stack.ok(stack.destroy("--refresh"));
  expect(listed(emulator)).toEqual([]);
});

test("a killed run whose journal is lost: one question for its voices, and yes bills nothing", async () => {
  const emulator = await emulate();
  const stack = (await Stack.create(emulator, settings)).program(voice("a") + voice("b"));
  const release = emulator.hold("create");
  const run = stack.start(["up", "--yes", "--skip-preview"]);
  await until(() => emulator.underWay("create") === 2);
  await kill(stack, run);
  release();
  await until(() => listed(emulator).length === 2);
  const elsewhere = stack.with({ XDG_STATE_HOME: `${stack.folder}/.state-of-another-machine` });
  const yes = await asked(elsewhere, "take", elsewhere.up());
  await yes.ok(yes.up());
  expect([await held(stack), emulator.summary().voicesBilled]).toEqual([listed(emulator), 2]);
});

test.each([
  ["refused", 2],
  ["killed", 3],
])("A to B and back, and the delete of A is %s: nothing live is deleted, and nothing is lost", async (end, billed) => {
  const emulator = await emulate();
  const stack = (await Stack.create(emulator, settings)).program(voice("v", "A"));
  await stack.ok(stack.up());
  stack.program(voice("v", "B"));
  if (end === "refused") {
    emulator.setFaults([{ kind: "500", on: ["delete"] }]);
    expect((await stack.up()).code).not.toBe(0);
    emulator.setFaults([]);
  } else {
    const release = emulator.hold("delete");
    const run = stack.start(["up", "--yes", "--skip-preview"]);
    await until(() => emulator.underWay("delete") === 1);
    await kill(stack, run);
    release();
  }
  await stack.ok(stack.program(voice("v", "A")).up());
  expect([listed(emulator), emulator.summary().voicesBilled]).toEqual([await held(stack), billed]);
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
});

test("the state before an update is put back: the same update uses its voices, and bills nothing", async () => {
  const emulator = await emulate();
  const stack = (await Stack.create(emulator, settings)).program(voice("a", "A") + voice("b", "B"));
  await stack.ok(stack.up());
  const older = await stack.state();
  // Two resources swap their recordings.
  await stack.ok(stack.program(voice("a", "B") + voice("b", "A")).up());
  await stack.setState(older);
  await stack.ok(stack.up());
  expect([await held(stack), emulator.summary().voicesBilled]).toEqual([listed(emulator), 4]);
});

test("a state is edited: a voice that two entries have stays with one, and a voice with another name stays", async () => {
  const emulator = await emulate();
  const [other = ""] = emulator.seedVoices("default", 1, { preferredName: "by_hand" });
  const stack = (await Stack.create(emulator, settings)).program(voice("a") + voice("b"));
  await stack.ok(stack.up());
  const before = listed(emulator);
  const state = JSON.parse(await stack.state()) as { deployment: { resources: { urn: string; id: string }[] } };
  const { resources } = state.deployment;
  const [a, b] = ["::a", "::b"].map((end) => resources.find(({ urn }) => urn.endsWith(end))!);
  resources.push({ ...a!, urn: `${a!.urn}-copy` });
  b!.id = other;
  await stack.setState(JSON.stringify(state));
  const run = await stack.ok(stack.program(voice("a")).up());
  expect(run.output).toContain(`the voice ${other} stays in the account: its name contradicts the state`);
  expect([listed(emulator), await held(stack)]).toEqual([before, [a!.id]]);
});
