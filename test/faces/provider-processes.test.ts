import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import { pluginFolder } from "../../tools/plugin-stack";
import { listed } from "../support/held";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/**
 * One operation with several provider processes: classes and plugin in one program, or two declared providers of one
 * account. Each process knows its own calls only, and has read the states at a time of its own.
 */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
  const plugins = { providers: [{ name: "cloudvoice", path: pluginFolder }] };
  const runtime = { name: "nodejs", options: { typescript: false } };
  writeFileSync(join(stack.folder, "Pulumi.yaml"), JSON.stringify({ name: "program", runtime, plugins }));
});

const header = `
const native = {
  CloudVoice: class extends pulumi.CustomResource {
    constructor(name, props, opts) { super("cloudvoice:index:CloudVoice", name, props, opts); }
  },
  Provider: class extends pulumi.ProviderResource {
    constructor(name, props) { super("cloudvoice", name, props); }
  },
};
const settings = { baseUrl: process.env.CLOUDVOICE_BASE_URL, apiKey: process.env.CLOUDVOICE_API_KEY };
const a = new native.Provider("a", settings), b = new native.Provider("b", settings);
const of = (provider, fields = {}) => ({ provider, ...fields });
const inputs = (fields = {}) => ({ targetModel: model, audio: "a.wav", ...fields });
`;
const program = (body: string) => stack.program(header + body);
/** The voices of the state by the names and the kinds of their resources. */
async function held(): Promise<Record<string, string>> {
  const entries = (await stack.resources()).map(({ urn, id }) => {
    const kind = urn.includes("pulumi-nodejs:dynamic") ? "class" : "plugin";
    return [`${kind} ${urn.split("::").at(-1) ?? ""}`, id ?? ""] as const;
  });
  return Object.fromEntries(entries);
}

/** Every resource has a voice that exists and that no other has, and an update finds nothing to change. */
async function expectOneEach(...names: string[]): Promise<void> {
  const voices = await held();
  expect(Object.keys(voices).sort()).toEqual(names.sort());
  expect(new Set(Object.values(voices)).size).toBe(names.length);
  expect(listed(emulator)).toEqual(Object.values(voices).sort());
  await stack.ok(stack.preview("--expect-no-changes"));
}

const x = `new native.CloudVoice("x", inputs(), of(a));`;
const z = (audio = "a.wav") =>
  `const z = new native.CloudVoice("z", inputs({ audio: "${audio}" }), of(a, { deleteBeforeReplace: true }));`;

test("`y` on one provider can't take the voice of `x` on another, by adopt or import: nobody knows whether `x` goes", async () => {
  await stack.ok(program(x + z()).up());
  const { "plugin x": voice = "" } = await held();
  const adopting = `new native.CloudVoice("y", inputs({ adopt: "${voice}" }), of(b, { dependsOn: z }));`;
  expect((await program(x + z("b.mp3") + adopting).preview()).output).toMatch(/retainOnDelete/);
  const importing = `new native.CloudVoice("y", inputs({ preferredName: "n" }), of(b, { dependsOn: z, import: "${voice}" }));`;
  for (const taking of [z("b.mp3") + adopting, z("c.m4a") + importing]) {
    const run = await program(taking).up();
    expect([run.code !== 0, run.output]).toEqual([
      true,
      expect.stringMatching(/x of the stack organization\/program\/dev/),
    ]);
    expect(listed(emulator)).toContain(voice);
  }
});

test("a class `x` and a plugin resource `x` beside it have a voice each, and a state in which they share one is mended", async () => {
  const both = `new cv.CloudVoice("x", inputs()); new native.CloudVoice("x", inputs(), of(a));`;
  await stack.ok(program(`new cv.CloudVoice("x", inputs());`).up());
  await stack.ok(program(both).up());

  // As an earlier release left it.
  const { "class x": mine = "", "plugin x": other = "" } = await held();
  const state = (await stack.state()).replaceAll(other, mine);
  emulator.vanish("default", other);
  await stack.setState(state);
  // A young voice that is missing is looked for during this time.
  stack = stack.with({ CLOUDVOICE_SETTLE_SECONDS: "0", CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "5" });
  const refresh = await stack.refresh();
  expect([refresh.code !== 0, refresh.output]).toEqual([
    true,
    expect.stringMatching(new RegExp(`two resources hold the voice ${mine}`)),
  ]);
  await stack.ok(stack.up());
  await expectOneEach("class x", "plugin x");
});
