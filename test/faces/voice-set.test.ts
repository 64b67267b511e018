import { writeProgram, type YamlProgram } from "../../tools/plugin-stack";
import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { listed } from "../support/held";
import { emulate } from "../support/emulate";
import { killCommandLine, Stack } from "../support/stack";
import { until } from "../support/until";
import { image, recordAgain, resourceNamed, reviewed, targetModel, voice, yamlStack } from "./yaml-stack";

/** `VoiceSet` on the real engine, with programs in YAML. */

const write = (
  stack: Stack,
  voices: object,
  more: object = {},
  options: object = {},
  rest: Partial<YamlProgram> = {},
) => {
  const properties = { defaults: { targetModel }, voices, ...more };
  writeProgram(stack.folder, {
    ...rest,
    resources: { ...rest.resources, voices: { type: "cloudvoice:VoiceSet", properties, options: { ...options } } },
    outputs: { voices: "${voices.voices}", manifest: "${voices.manifest}", ...rest.outputs },
  });
};

/** The voice of each entry. */
async function names(stack: Stack): Promise<Record<string, string>> {
  const { voices } = (await stack.outputs()) as { voices: Record<string, { voice: string }> };
  return Object.fromEntries(Object.entries(voices).map(([key, made]) => [key, made.voice]));
}
const changesIn = ({ changes }: Review) => changes.map(({ action, name }) => [action, name]);

const three = { narrator: { audio: "a.wav", language: "en" }, support: { audio: "b.mp3" }, news: { audio: "c.m4a" } };

/** Kills an update, with its engine, while so many creates are under way. They end all the same. */
async function killWhileCreating({ emulator, stack }: Awaited<ReturnType<typeof yamlStack>>, creates: number) {
  const before = emulator.voices().length;
  const release = emulator.hold("create");
  const { child, done } = stack.start(["up", "--yes", "--skip-preview"]);
  await until(() => emulator.underWay("create") === creates);
  killCommandLine(child);
  // With the engine alive for a moment longer, the update would go on and delete the old voice.
  await until(() => child.signalCode !== null || child.exitCode !== null);
  release();
  await done;
  await until(() => emulator.voices().length === before + creates);
  await stack.ok(stack.pulumi("cancel", "--yes"));
}

test("a set of three: nothing to do afterwards, a change of one entry, and a new key", async () => {
  const { emulator, stack } = await yamlStack();
  write(stack, three);
  await stack.ok(stack.up());
  await stack.ok(stack.refresh("--expect-no-changes"));
  const first = await names(stack);
  expect(Object.values(first).sort()).toEqual(listed(emulator));
  expect(await stack.outputs()).toMatchObject({
    voices: { narrator: { id: first.narrator, targetModel, language: "en", degraded: false, adopted: false } },
    manifest: { narrator: { voice: first.narrator, targetModel, language: "en" }, news: { voice: first.news } },
  });

  recordAgain(stack);
  const preview = await stack.ok(stack.preview("--diff"));
  expect(preview.output).toMatch(/~ support *: \{\s+~ audioSha256/);
  expect(preview.output).not.toMatch(/narrator|news/);
  // A new key for the same content.
  const { news, ...others } = three;
  write(stack, { ...others, evening: news });
  await stack.ok(stack.up());
  const second = await names(stack);
  expect(second).toMatchObject({ narrator: first.narrator, evening: first.news });
  expect(second.support).not.toBe(first.support);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 4, calls: { create: 4, delete: 1 } });
});

test("secrets are hidden at their field alone, values that are not known yet wait, and a review has a row for each entry", async () => {
  const { emulator, stack } = await yamlStack();
  const rest = { resources: { other: voice({ audio: "c.m4a" }) }, outputs: { one: "${voices.voices.narrator.voice}" } };
  const spoken = { ...three.narrator, text: { "fn::secret": "hush" } };
  const voices = { ...three, narrator: spoken, late: { audio: "a.wav", text: "${other.voice}" } };
  write(stack, voices, {}, {}, rest);
  await stack.ok(stack.preview("--diff"));
  await stack.ok(stack.up());
  expect(emulator.voices()).toHaveLength(5);
  expect((await stack.outputs()).one).toBe((await names(stack)).narrator);

  recordAgain(stack);
  const { news, ...others } = { ...voices, narrator: { ...spoken, rights: { holder: "Jane", evidence: "file 7" } } };
  write(stack, { ...others, evening: news, added: { audio: "a.wav" } }, {}, {}, rest);
  const preview = await stack.ok(stack.preview("--json", "--show-sames"));
  const dependents = JSON.parse(preview.stdout) as { steps: { op: string; urn: string }[] };
  expect(dependents.steps.filter(({ op }) => op !== "same")).toHaveLength(1);
  const review = await reviewed(stack);
  expect(review.changes.map(({ name, action, why }) => [action, name, why])).toEqual([
    ["create", "voices.added", "new in the program"],
    ["replace", "voices.support", "audio changed"],
    ["update", "voices.evening", "keeps the voice of voices.news; free"],
    ["update", "voices.narrator", "rights changed; free"],
  ]);
  expect(review.charge).toMatchObject({ voices: 2, atMost: 0.02 });
  await stack.ok(stack.up());
  expect(emulator.summary().voicesBilled).toBe(7);
  const drift = await cloudvoice(stack, ["review", "--drift", "--stack", "dev"]);
  expect(drift.stdout).toMatch(/Drift of program\/dev: none/);
});

test("--replace keeps adopted voices, voices of a renamed set, and voices of renamed keys, as its review says", async () => {
  process.env.CLOUDVOICE_FACE = "native";
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_SETTLE_SECONDS: "0.05" });
  const [adopt = ""] = emulator.seedVoices("default", 1);
  const declare = (name: string, adopting: string, key: string, options = "") =>
    stack.program(`
      const voices = { taken: { audio: "c.m4a", ${adopting} }, ${key}: { audio: "b.mp3" }, narrator: { audio: "a.wav" } };
      new cv.VoiceSet("${name}", { defaults: { targetModel: model }, voices }, { ${options} });`);
  await stack.ok(declare("voices", `adopt: "${adopt}"`, "support").up());
  await stack.ok(declare("speakers", "", "support", 'aliases: [{ name: "voices" }]').up());
  const before = listed(emulator);
  const { urn } = await resourceNamed(stack, "speakers");

  declare("speakers", "", "help");
  const { stdout } = await stack.preview("--json", "--show-sames", "--replace", urn);
  const run = await cloudvoice(stack, ["review", "-", "--stack", "dev", "--json"], stdout);
  const { charge, goingVoices } = JSON.parse(run.stdout) as Review;
  expect([run.code, charge.voices, goingVoices]).toEqual([2, 0, []]);
  await stack.ok(stack.up("--replace", urn));
  expect([listed(emulator), emulator.summary().voicesBilled]).toEqual([before, 2]);
  await stack.ok(stack.up("--expect-no-changes"));
  await stack.ok(stack.destroy());
  expect(listed(emulator)).toEqual([]);
});

test("in TypeScript: the options of a set, --replace keeps each voice, and import is an error", async () => {
  process.env.CLOUDVOICE_FACE = "native";
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_SETTLE_SECONDS: "0.05" });
  const declare = (options: string) =>
    stack.program(`
      const voices = { narrator: { audio: new pulumi.asset.FileAsset("a.wav"), text: pulumi.secret("hush") }, support: { audio: "b.mp3" } };
      const set = new cv.VoiceSet("voices", { defaults: { targetModel: model }, voices }, { ${options} });
      exports.narrator = set.voices.narrator.voice;
      exports.manifest = set.manifest;`);
  await stack.ok(declare("protect: true").up());
  const { narrator, manifest } = await stack.outputs();
  // The secret text of an entry hides nothing else.
  expect(manifest).toMatchObject({ narrator: { voice: narrator } });
  expect(narrator).toEqual(expect.any(String));
  const { urn } = await resourceNamed(stack, "voices");
  expect((await stack.destroy()).output).toMatch(/protected/);

  await stack.ok(declare("").up("--replace", urn));
  expect(emulator.voices().map(({ voice }) => voice)).toContain(narrator);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, calls: { create: 2 } });

  expect((await declare('import: "voices"').preview()).output).toMatch(/can't be imported. Set adopt/);
  await stack.ok(declare("retainOnDelete: true").up());
  await stack.ok(stack.destroy());
  expect(emulator.voices()).toHaveLength(2);
});

test("a review names what may show only because a program reads all voices at once, and not what reads one", async () => {
  process.env.CLOUDVOICE_FACE = "native";
  const stack = await Stack.create(await emulate(), { CLOUDVOICE_SETTLE_SECONDS: "0.05" });
  stack.program(`
    const voices = { narrator: { audio: "a.wav" }, support: { audio: "b.mp3" } };
    const set = new cv.VoiceSet("voices", { defaults: { targetModel: model }, voices });
    new cv.GeneratedImage("of-one", { model: "svc-image", prompt: set.voices.narrator.voice });
    new cv.GeneratedImage("of-all", { model: "svc-image", prompt: set.voices.apply((all) => Object.keys(all).join()) });`);
  await stack.ok(stack.up());
  recordAgain(stack);
  const review = await reviewed(stack);
  expect(changesIn(review)).toEqual([
    ["replace", "voices.support"],
    ["replace", "of-all"],
  ]);
  expect(review.notes.filter((note) => note.includes("at once"))).toEqual([
    expect.stringMatching(/^of-all may not really change: the program reads all voices of voices at once/),
  ]);
});

test("in YAML: an input takes one voice by its key in brackets, and shows as changed with each other entry, at most", async () => {
  const { stack } = await yamlStack();
  const ofOne = image({ prompt: '${voices.voices["narrator"].voice}' });
  write(stack, three, {}, {}, { resources: { ofOne } });
  await stack.ok(stack.up());
  await stack.ok(stack.preview("--expect-no-changes"));
  recordAgain(stack);
  const review = await reviewed(stack);
  expect(changesIn(review)).toEqual([
    ["replace", "voices.support"],
    ["replace", "ofOne"],
  ]);
  expect(review.notes.filter((note) => note.includes("In YAML"))).toEqual([
    expect.stringMatching(/^ofOne may not really change: the program .*\. In YAML/),
  ]);
});

test("an entry moves to another resource: a preview refuses what would delete its voice, and keepRemoved before it is free", async () => {
  const { emulator, stack } = await yamlStack();
  write(stack, three);
  await stack.ok(stack.up());
  const { news, ...others } = three;
  const adopt = (await names(stack)).news;
  // The update of the set ends before this resource begins.
  const options = { dependsOn: ["${voices}"] };
  const moved = { type: "cloudvoice:CloudVoice", properties: { targetModel, ...news, adopt }, options };
  write(stack, others, {}, {}, { resources: { moved } });
  const preview = await stack.preview();
  expect(preview.code).not.toBe(0);
  expect(preview.output).toMatch(/voices\.news gives up the voice .*keepRemoved: true/);
  write(stack, others, { keepRemoved: true });
  await stack.ok(stack.up());
  write(stack, others, {}, {}, { resources: { moved } });
  await stack.ok(stack.up());
  expect(listed(emulator)).toContain(adopt);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 3, calls: { create: 3 } });
});

test("killed in the middle of an update, and reverted: the state names what exists, and no voice is left that nobody knows", async () => {
  const { emulator, stack } = await yamlStack();
  write(stack, three);
  await stack.ok(stack.up());
  const before = await names(stack);
  write(stack, { ...three, support: { audio: "c.m4a" }, added: { audio: "a.wav" } });
  await killWhileCreating({ emulator, stack }, 2);
  // The killed update has paid for both. The set's own line of the preview does not know that.
  const wanted = await cloudvoice(stack, ["review"]);
  expect(wanted.stdout).toMatch(/charge: nothing/);
  expect(wanted.stdout).not.toContain("created, at most");
  write(stack, three);
  // The program is that of before, and the update deletes two voices.
  const left = listed(emulator).filter((voice) => !Object.values(before).includes(voice));
  expect((await stack.ok(stack.preview("--diff"))).output).toContain(left[0]);
  const review = await reviewed(stack);
  expect(review.goingVoices.map((each) => each.voice).sort()).toEqual(left.sort());
  expect([review.changes.length, review.complete]).toEqual([left.length, true]);
  await stack.ok(stack.up());
  expect(listed(emulator)).toEqual(Object.values(before).sort());
  expect(await names(stack)).toEqual(before);
  expect((await reviewed(stack)).changes).toEqual([]);
});

test("the first update is killed, and the set is taken out: its voices are listed with the evidence, and can be deleted", async () => {
  const { emulator, stack } = await yamlStack();
  write(stack, three);
  await killWhileCreating({ emulator, stack }, 3);
  writeProgram(stack.folder, { resources: {} });
  await stack.ok(stack.up());
  expect(emulator.voices()).toHaveLength(3);
  const review = await cloudvoice(stack, ["review", "--stack", "dev"]);
  expect(review.stdout).toContain("a killed create of voices made it (its log): svc-");
  // The log remains when the engine's record is gone.
  await stack.ok(stack.refresh("--clear-pending-creates"));
  const { stdout } = await cloudvoice(stack, ["voices", "--orphans", "--stack", "dev"]);
  for (const voice of listed(emulator))
    expect(stdout).toContain(`${voice}: a killed create of voices made it (its log)`);
  const deleted = await cloudvoice(stack, ["voices", "--orphans", "--stack", "dev", "--delete", "--yes"]);
  expect([deleted.code, listed(emulator)]).toEqual([0, []]);
});

test.each<[how: string, properties: object, options: object]>([
  ["fn::secret", { voices: { "fn::secret": three } }, {}],
  ["additionalSecretOutputs", { voices: three }, { additionalSecretOutputs: ["voices", "manifest", "made"] }],
])("a set whose voices are secret (%s) holds them all the same", async (_, properties, options) => {
  const { emulator, stack } = await yamlStack();
  write(stack, {}, properties, options);
  await stack.ok(stack.up());
  const held = listed(emulator);
  expect(held).toHaveLength(3);
  const run = (...args: string[]) => cloudvoice(stack, args);
  expect(await run("delete", ...held, "--yes")).toMatchObject({ code: 1 });
  expect((await run("voices", "--adopt")).stdout).not.toContain(held[0]);
  expect(JSON.parse((await run("voices", "--rights", "--json")).stdout)).toMatchObject({ heldByNone: 0 });
  expect(JSON.parse((await run("review", "--drift", "--json")).stdout)).toMatchObject({
    held: 3,
    missing: [],
    orphans: [],
  });
  expect(await reviewed(stack)).toMatchObject({ complete: true, changes: [], quota: { now: 3, after: 3 } });
  // Another stack of the project can't adopt one of them.
  writeProgram(stack.folder, { resources: { adopts: voice({ adopt: held[0] }) } });
  await stack.ok(stack.pulumi("stack", "init", "other"));
  expect((await stack.pulumi("up", "--yes", "--skip-preview", "--stack", "other")).output).toMatch(
    /voices\.narrator of the stack organization\/program\/dev holds the voice/,
  );
  await stack.ok(stack.pulumi("stack", "select", "dev"));
  write(stack, {}, properties, options);
  await stack.ok(stack.destroy());
  expect(listed(emulator)).toEqual([]);
});
