import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Review } from "../../provider/src/cli/review/review";
import type { Emulator, LedgerEntry } from "../../provider/emulator";
import { Stack as AnyStack } from "../../tools/stack";
import { pluginStack, writeProgram } from "../../tools/plugin-stack";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { put, temporaryFolder } from "../support/files";
import { Stack } from "../support/stack";
import { Random } from "../simulation/world";
import { recordAgain } from "./yaml-stack";

/** The dynamic provider and the native plugin, with the same program, state and changes. */

interface Declared {
  type: "CloudVoice" | "GeneratedImage" | "Decision";
  properties: object;
  /** The name of a resource that is declared before, on which this one depends. */
  behind?: string;
  /** The name that an alias gives. */
  formerly?: string;
}
type Resources = Record<string, Declared>;

const voice = (properties: object): Declared => ({
  type: "CloudVoice",
  properties: { targetModel: "svc3-tts-vc-2026-01-22", ...properties },
});
const image = (prompt: string): Declared => ({
  type: "GeneratedImage",
  properties: { model: "svc-image", prompt, saveTo: "covers" },
});
const decision = (state: string, expect = {}): Declared => ({
  type: "Decision",
  properties: { state, questions: { tone: { type: "noul", instructions: "Is it friendly?" } }, ...expect },
});

const before: Resources = {
  kept: voice({ audio: "a.wav", language: "en" }),
  recorded: voice({ audio: "b.mp3", preferredName: "recorded" }),
  respoken: voice({ audio: "a.wav", text: "Good morning" }),
  removed: voice({ audio: "c.m4a" }),
  cover: image("A lighthouse"),
  gate: decision("Welcome"),
};
const { removed: _, ...remaining } = before;
const after: Resources = {
  ...remaining,
  respoken: voice({ audio: "a.wav", text: "Good evening" }),
  added: voice({ audio: "c.m4a", language: "es" }),
  cover: image("A lighthouse at dusk"),
  gate: decision("Hello"),
};

const settings = { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1" };

const aliasesOf = (formerly?: string) => (formerly === undefined ? [] : [{ name: formerly }]);

const faces = {
  dynamic: {
    create: (emulator: Emulator) => Stack.create(emulator, settings),
    declare: (stack: Stack, resources: Resources) => {
      const lines = Object.entries(resources).map(([name, { type, properties, behind, formerly }]) => {
        const aliases = JSON.stringify(aliasesOf(formerly));
        const options = `{ dependsOn: ${behind === undefined ? "[]" : `made.${behind}`}, aliases: ${aliases} }`;
        return `made.${name} = new cv.${type}("${name}", ${JSON.stringify(properties)}, ${options});`;
      });
      stack.program(["const made = {};", ...lines].join("\n"));
    },
  },
  plugin: {
    create: (emulator: Emulator) => pluginStack(temporaryFolder(), emulator, { settings }),
    declare: ({ folder }: Stack, resources: Resources) => {
      const typed = Object.entries(resources).map(([name, { type, properties, behind, formerly }]) => {
        const dependsOn = behind === undefined ? [] : [`\${${behind}}`];
        const options = { dependsOn, aliases: aliasesOf(formerly) };
        return [name, { type: `cloudvoice:${type}`, properties, options }];
      });
      writeProgram(folder, { resources: Object.fromEntries(typed) as Parameters<typeof writeProgram>[1]["resources"] });
    },
  },
};

/** A folder elsewhere with the saved preview, without the project, the key, the state and the network's addresses. */
async function savedPreview(stack: Stack) {
  const preview = await stack.ok(stack.with({ CLOUDVOICE_PLAN: "1" }).preview("--json", "--show-sames"));
  const alone = { folder: temporaryFolder(), env: { PATH: process.env.PATH } };
  put(alone.folder, "preview.json", preview.stdout);
  return alone;
}

/** The review in each form, without what differs between two accounts and in the types of the resources. */
async function reviews({ create, declare }: (typeof faces)[keyof typeof faces]) {
  const emulator = await emulate();
  const stack = await create(emulator);
  declare(stack, before);
  await stack.ok(stack.up());
  declare(stack, after);
  recordAgain(stack);

  const saved = ["review.json", "review.md", "review.html"];
  const run = await cloudvoice(stack, ["review", "--exit-code", ...saved.flatMap((file) => ["--save", file])]);
  const alone = await savedPreview(stack);
  const fromFile = await cloudvoice(alone, ["review", "preview.json", "--exit-code"]);
  const jsonFromFile = (await cloudvoice(alone, ["review", "preview.json", "--format", "json"])).stdout;
  const ids = new RegExp(`${emulator.voices()[0]?.voice.replace(/\w+-voice-.*/, "")}(\\w+)-voice-[\\w-]+`, "g");
  const plain = (text: string) =>
    text
      .replaceAll(ids, "<$1>")
      .replaceAll(/("account": "|account )[0-9a-f]{8}/g, "$1<account>")
      .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>")
      // A slash is escaped in HTML.
      .replaceAll(/pulumi-nodejs:dynamic(?:\/|&#x2F;)cloudvoice:/g, "cloudvoice:index:");
  const [json = "", markdown, html] = saved.map((file) => plain(readFileSync(join(stack.folder, file), "utf8")));
  const calls = emulator.ledger().length;
  await stack.ok(stack.up());
  const { voicesBilled, charge, tasks } = emulator.summary("default", calls);

  const lost = String(emulator.voices()[0]?.voice);
  emulator.vanish("default", lost);
  const later = { folder: stack.folder, env: { ...stack.env, CLOUDVOICE_SETTLE_SECONDS: "0" } };
  const drift = await cloudvoice(later, ["review", "--drift", "--exit-code", "--format", "json"]);
  const found = (JSON.parse(drift.stdout) as Review).changes.map(({ action, id, charge: price }) => [
    action,
    id,
    price,
  ]);
  expect([drift.code, found]).toEqual([2, [["create", lost, 0.01]]]);
  return {
    codes: [run.code, fromFile.code],
    forms: [plain(run.stdout), plain(fromFile.stdout), markdown, html],
    review: JSON.parse(json) as Review,
    reviewFromFile: JSON.parse(plain(jsonFromFile)) as Review,
    paid: { voices: voicesBilled, charge, tasks },
  };
}

test("both give the same review of the same changes, in every form, and the update pays what it says", async () => {
  const dynamic = await reviews(faces.dynamic);
  expect(await reviews(faces.plugin)).toEqual(dynamic);

  const { codes, forms, review, reviewFromFile, paid } = dynamic;
  expect(codes).toEqual([2, 2]);
  expect(reviewFromFile).toEqual(review);
  expect(review.changes.map(({ action, name }) => `${action} ${name}`).sort()).toEqual([
    "create added",
    "delete removed",
    "replace cover",
    "replace gate",
    "replace recorded",
    "replace respoken",
  ]);
  expect(review.charge).toMatchObject({ atMost: paid.charge, voices: paid.voices, imageTasks: paid.tasks });
  for (const form of forms) {
    expect(form).toContain("1 voice to create, 2 to replace, 1 to delete");
    expect(form).toMatch(/recorded[^]*audio[^]*14\.3 s,[^]*5f46855\)[^]*→/);
  }
  expect(forms[0]).not.toContain("kept");
});

/** The seeds of drawn changes: `CLOUDVOICE_REVIEWS=5` is for five seeds, from CLOUDVOICE_FIRST_REVIEW on. */
const { CLOUDVOICE_REVIEWS = "1", CLOUDVOICE_FIRST_REVIEW = "1" } = process.env;
const seeds = Array.from({ length: Number(CLOUDVOICE_REVIEWS) }, (_, index) => Number(CLOUDVOICE_FIRST_REVIEW) + index);

/** `old`: a voice of the program. `fresh`: a new name. `stranger`: a voice that somebody created by hand. */
interface Drawn {
  random: Random;
  old: string;
  fresh: string;
  stranger: string;
}

const recorded = ({ random }: Drawn, properties = {}) =>
  voice({ audio: random.pick(["a.wav", "b.mp3", "c.m4a"]), ...properties });

/** Changes of a program. */
const everyChange: Record<string, (resources: Resources, drawn: Drawn) => Resources> = {
  add: (resources, drawn) => ({ ...resources, [drawn.fresh]: recorded(drawn) }),
  remove(resources, { old }) {
    const { [old]: _, ...others } = resources;
    return others;
  },
  record: (resources, drawn) => ({ ...resources, [drawn.old]: recorded(drawn, { text: `Read for ${drawn.fresh}` }) }),
  /** With an alias, or as one voice less and one more. */
  rename(resources, { old, fresh, random }) {
    const { [old]: renamed, ...others } = resources;
    return { ...others, [fresh]: { ...renamed!, ...(random.chance(0.5) && { formerly: old }) } };
  },
  adopt: (resources, { fresh, stranger }) => ({ ...resources, [fresh]: voice({ adopt: stranger, audio: "a.wav" }) }),
  picture: (resources, { fresh }) => ({ ...resources, cover: image(`A lighthouse at ${fresh}`) }),
  ask(resources, { old, fresh, random }) {
    const state = `Welcome to ${fresh}; tone=${random.pick(["yes", "no"])}`;
    const gate = decision(state, { expect: { tone: { min: 0.5 } } });
    return { ...resources, gate, [old]: { ...resources[old]!, behind: "gate" } };
  },
};

test.each(seeds.flatMap((seed) => Object.entries(faces).map(([name, face]) => ({ name, seed, face }))))(
  "a saved preview gives the same review without project, key and network ($name, seed $seed)",
  async ({ seed, face: { create, declare } }) => {
    const emulator = await emulate();
    const strangers = emulator.seedVoices("default", Object.keys(everyChange).length, { preferredName: "by_hand" });
    const random = new Random(seed);
    const stack = await create(emulator);
    stack.configure({
      "cloudvoice:voicePrice": "0.02",
      "cloudvoice:imagePrice": "0.03",
      "cloudvoice:decisionPricePerMillionTokens": "0.5",
      "cloudvoice:currency": "EUR",
    });
    // The program declares a gate before the voices that wait for it.
    let resources: Resources = { gate: before.gate!, ...before };
    declare(stack, resources);
    await stack.ok(stack.up());

    const order = Object.entries(everyChange)
      .map((change) => [random.next(), ...change] as const)
      .sort(([a], [b]) => a - b);
    const half = Math.ceil(order.length / 2);
    for (const some of [order.slice(0, half), order.slice(half)]) {
      for (const [, fresh, change] of some) {
        const voices = Object.keys(resources).filter((name) => resources[name]?.type === "CloudVoice");
        resources = change(resources, { random, fresh, old: random.pick(voices), stranger: strangers.pop()! });
      }
      declare(stack, resources);
      const live = await cloudvoice(stack, ["review", "--stack", "dev", "--exit-code", "--format", "json"]);
      const saved = await cloudvoice(await savedPreview(stack), [
        ...["review", "preview.json", "--exit-code", "--format", "json"],
      ]);
      expect(saved).toMatchObject({ code: live.code, stdout: live.stdout });
      const { complete, changes, charge } = JSON.parse(live.stdout) as Review;
      expect(complete).toBe(true);
      expect(changes).not.toEqual([]);
      expect(charge).toMatchObject({ currency: "EUR", unpriced: { imageTasks: 0, decisions: 0 } });
      await stack.up(); // A gate may close.
    }
  },
);

/** The voices of a service before and after some calls, and at most in between. */
function countsIn(emulator: Emulator, since: number) {
  const count = (entries: LedgerEntry[]) =>
    entries.reduce((sum, { voice: made, deleted }) => sum + (made ? 1 : 0) - (deleted ? 1 : 0), 0);
  const calls = emulator.ledger().slice(since);
  const after = emulator.voices().length;
  const now = after - count(calls);
  return { now, peak: Math.max(...calls.map((_, index) => now + count(calls.slice(0, index + 1)))), after };
}

test("classes and plugin in one program, each with its own account: the review has both quotas right", async () => {
  const studio = await emulate();
  const other = await emulate({ accounts: { other: "other-key" } });
  studio.seedVoices("default", 3);
  other.seedVoices("other", 2);
  const stack = await Stack.create(studio, { OTHER_KEY: "other-key", OTHER_URL: other.url });
  AnyStack.writeProject(stack.folder, "program", { native: true });
  const declare = (voiceQuota: number, ...voices: [classes: "cv" | "native", name: string, args: object][]) =>
    stack.program(
      [
        'const native = require("pulumi-cloudvoice/native");',
        "const envVarMappings = { OTHER_KEY: 'CLOUDVOICE_API_KEY', OTHER_URL: 'CLOUDVOICE_BASE_URL' };",
        `const provider = new native.Provider("other", { voiceQuota: ${voiceQuota} }, { envVarMappings });`,
        "const options = { cv: {}, native: { provider, deleteBeforeReplace: true } };",
        `console.log('cloudvoice-plan: {"urn":"","fails":"a line of the program"}');`,
        ...voices.map(([classes, name, args]) => {
          const inputs = JSON.stringify(voice(args).properties);
          return `new ${classes}.CloudVoice("${name}", ${inputs}, options.${classes});`;
        }),
      ].join("\n"),
    );
  const reviewed = async () => {
    const { code, stdout } = await cloudvoice(stack, ["review", "--format", "json"]);
    const { quotas, charge, complete, errors } = JSON.parse(stdout) as Review;
    expect({ complete, errors }).toEqual({ complete: true, errors: [] });
    const ofAccounts = quotas.map(({ account: _, ...quota }) => quota).sort((a, b) => b.limit - a.limit);
    return { code, voices: charge.voices, quotas: ofAccounts };
  };
  const first = [
    ["cv", "one", { audio: "a.wav" }],
    ["cv", "two", { audio: "b.mp3" }],
    ["native", "three", { audio: "c.m4a" }],
    ["native", "four", { audio: "b.mp3" }],
  ] satisfies Parameters<typeof declare>[1][];
  declare(3, ...first);
  expect(await reviewed()).toEqual({
    code: 3,
    voices: 4,
    quotas: [
      { limit: 1000, now: 3, peak: 5, after: 5 },
      { limit: 3, now: 2, peak: 4, after: 4 },
    ],
  });
  declare(5, ...first);
  await stack.ok(stack.up());

  // In each account, one voice is replaced, one is deleted and one is new. The plugin's is deleted before it is replaced.
  declare(
    5,
    ["cv", "one", { audio: "a.wav", text: "Good morning" }],
    ["cv", "five", { audio: "c.m4a" }],
    ["native", "three", { audio: "c.m4a", text: "Good morning" }],
    ["native", "six", { audio: "a.wav" }],
  );
  const { code, voices, quotas } = await reviewed();
  const since = [studio, other].map((emulator) => emulator.ledger().length);
  await stack.ok(stack.up());
  expect([code, voices]).toEqual([0, 4]);
  expect(quotas).toEqual([
    { limit: 1000, ...countsIn(studio, since[0]!) },
    { limit: 5, ...countsIn(other, since[1]!) },
  ]);
  expect(quotas).toMatchObject([
    { now: 5, peak: 7, after: 5 },
    { now: 4, peak: 5, after: 4 },
  ]);
});
