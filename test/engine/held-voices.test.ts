import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { cloudvoice } from "../support/cloudvoice";
import { put } from "../support/files";
import { killCommandLine, said, Stack } from "../support/stack";
import { until } from "../support/until";

/** A voice that a resource holds is never taken and never deleted, although another resource has a claim by its name. */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate({ createDelayMs: 500 });
  stack = await Stack.create(emulator);
});

const inputs = `{ targetModel: model, audio: "a.wav" }`;
const old = `new cv.CloudVoice("old", ${inputs});`;
const ren = (options = "") => `new cv.CloudVoice("ren", ${inputs}, { aliases: [{ name: "old" }], ${options} });`;
const bystander = `new cv.CloudVoice("w", ${inputs});`;

const urn = (name: string) => `urn:pulumi:dev::program::pulumi-nodejs:dynamic/cloudvoice:CloudVoice::${name}`;
const listed = () =>
  emulator
    .voices()
    .map(({ voice }) => voice)
    .sort();
async function held(of: Stack = stack): Promise<Record<string, string | undefined>> {
  const entries = (await of.resources()).map(({ urn: full, id }) => [full.split("::").at(-1) ?? "", id] as const);
  return Object.fromEntries(entries);
}
/** Every resource has a voice of its own, and the account has no other. */
async function expectOneEach(...names: string[]): Promise<void> {
  const voices = await held();
  expect(Object.keys(voices).sort()).toEqual(names.sort());
  expect(Object.values(voices).sort()).toEqual(listed());
}

describe("`old` is renamed to `ren`, and a new `old` with the same content is added", () => {
  let voice: string | undefined;
  beforeEach(async () => {
    await stack.ok(stack.program(old).up());
    await stack.ok(stack.program(ren()).up());
    voice = (await held()).ren;
  });

  test("in a targeted update: both hold a voice, and later updates of either harm neither", async () => {
    const run = await stack.ok(stack.program(ren() + old).up("--target", urn("old")));
    expect(said(run, "ren of the stack organization/program/dev holds it: this resource gets a voice of its own")).toBe(
      1,
    );
    await stack.ok(stack.up());
    await expectOneEach("old", "ren");
    expect((await held()).ren).toBe(voice);
    await stack.ok(stack.preview("--expect-no-changes"));
    await stack.ok(stack.destroy("--target", urn("old")));
    expect(listed()).toEqual([voice]);
  });

  test("in an update that excludes `ren`", async () => {
    await stack.ok(stack.program(ren() + old).up("--exclude", urn("ren")));
    await expectOneEach("old", "ren");
    expect((await held()).ren).toBe(voice);
    await stack.ok(stack.program(ren()).up());
    expect(listed()).toEqual([voice]);
  });

  test("in an update that fails half way, because the account is full", async () => {
    emulator.setFaults([{ kind: "500", on: ["create"], skip: 1 }]);
    await stack
      .with({ CLOUDVOICE_MAX_RETRIES: "0", CLOUDVOICE_SETTLE_SECONDS: "0" })
      .program(old + ren() + bystander)
      .up("--parallel", "1");
    emulator.setFaults([]);
    await stack.ok(stack.up());
    await expectOneEach("old", "ren", "w");
    expect((await held()).ren).toBe(voice);
  });

  test("in an update that is killed", async () => {
    const { child, done } = stack.program(old + ren()).start(["up", "--yes", "--skip-preview"]);
    await until(() => emulator.underWay("create") > 0);
    killCommandLine(child);
    await done;
    await stack.pulumi("cancel", "--yes");
    await stack.ok(stack.with({ CLOUDVOICE_SETTLE_SECONDS: "5", CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "5" }).up());
    await expectOneEach("old", "ren");
    expect((await held()).ren).toBe(voice);
  });

  test("while `ren` is protected, and when it is replaced with deleteBeforeReplace later", async () => {
    await stack.ok(stack.program(ren("protect: true")).up());
    await stack.ok(stack.program(ren("protect: true") + old).up());
    await expectOneEach("old", "ren");
    expect((await held()).ren).toBe(voice);
    const mine = (await held()).old;
    const changed = ren("deleteBeforeReplace: true").replace(`"a.wav"`, `"b.mp3"`);
    await stack.ok(stack.program(changed + old).up());
    await expectOneEach("old", "ren");
    expect((await held()).old).toBe(mine);
  });

  test("in one plain update with the new `old` first: the preview shows a create, and so it is", async () => {
    stack.program(old + ren());
    const preview = await stack.ok(stack.preview());
    expect(preview.output).toMatch(
      /ren of the stack organization\/program\/dev holds it: this resource gets a voice of its own/,
    );
    expect(preview.output).not.toMatch(/replace/);
    const run = await stack.ok(stack.up());
    expect(run.output).not.toMatch(/replac/);
    await expectOneEach("old", "ren");
    expect((await held()).ren).toBe(voice);
  });
});

test("`x` is replaced by `y`, which adopts its voice, in two targeted updates", async () => {
  await stack.ok(stack.program(`new cv.CloudVoice("x", ${inputs});`).up());
  const { x: voice } = await held();
  const y = `new cv.CloudVoice("y", { targetModel: model, audio: "a.wav", adopt: "${voice}" });`;
  await stack.ok(stack.program(y).up("--target", urn("y")));
  await stack.ok(stack.up("--target", urn("x")));
  expect([listed(), await held()]).toEqual([[voice], { y: voice }]);
});

describe("a resource that another stack got", () => {
  test("by `pulumi state move`: the old stack, used again, gets a voice of its own and deletes no other", async () => {
    await stack.ok(stack.program(old).up());
    const { old: voice } = await held();
    await stack.ok(stack.pulumi("stack", "init", "prod", "--no-select"));
    await stack.ok(stack.pulumi("state", "move", "--yes", "--source", "dev", "--dest", "prod", urn("old")));
    await stack.ok(stack.up("--stack", "prod"));
    expect(emulator.summary().calls).toMatchObject({ create: 1 });
    await stack.ok(stack.up());
    expect((await held()).old).not.toBe(voice);
    expect(listed()).toHaveLength(2);

    const orphans = await cloudvoice(stack, ["voices", "--stack", "dev", "--orphans", "--delete", "--json"]);
    expect(JSON.parse(orphans.stdout)).toMatchObject({ voices: [] });
    await stack.ok(stack.destroy());
    expect(listed()).toEqual([voice]);
  });

  test("by a rename of the stack: a new stack of the old name gets a voice of its own", async () => {
    await stack.ok(stack.program(old).up());
    const { old: voice } = await held();
    await stack.ok(stack.pulumi("stack", "rename", "prod"));
    await stack.ok(stack.pulumi("stack", "init", "dev"));
    await stack.ok(stack.up("--stack", "dev"));
    expect(listed()).toHaveLength(2);
    await stack.ok(stack.destroy("--stack", "dev"));
    expect(listed()).toEqual([voice]);
  });
});

test("two resources that hold one voice are mended by one ordinary update, and a refresh names both", async () => {
  await stack.ok(stack.program(old).up());
  const { old: voice } = await held();
  await stack.ok(stack.program(old + bystander).up());
  // As an earlier release left it.
  const state = (await stack.state()).replaceAll(String((await held()).w), String(voice));
  emulator.vanish("default", String((await held()).w));
  await stack.ok(stack.pulumi("stack", "import", "--file", put(stack.folder, "state.json", state)));

  const refresh = await stack.refresh();
  expect(refresh.code).not.toBe(0);
  expect(refresh.output).toMatch(
    /old of the stack organization\/program\/dev and w of the stack organization\/program\/dev\. Run `pulumi up`/,
  );
  await stack.ok(stack.up());
  await expectOneEach("old", "w");
  expect(listed()).toContain(voice);
  await stack.ok(stack.preview("--expect-no-changes"));
});
