import { describeDialect, drawDialect } from "../../provider/emulator/dialect";
import type { Emulator } from "../../provider/emulator";
import { visible } from "../../provider/src/rules/visible";
import { pluginStack, writeProgram, type YamlProgram } from "../../tools/plugin-stack";
import { emulate } from "../support/emulate";
import { temporaryFolder } from "../support/files";
import { fastStart, Stack } from "../support/stack";

/** The whole life of a stack in ten dialects of the service, in nine runs of the real engine. More are in test/dialects. */

const voiceQuota = 7;
const settings = {
  ...{ CLOUDVOICE_QUOTA_CHECK: "off", CLOUDVOICE_VOICE_QUOTA: String(voiceQuota), CLOUDVOICE_SETTLE_SECONDS: "0" },
  CLOUDVOICE_IMAGE_POLL_SECONDS: "0.01",
};
const voice = { targetModel: "svc3-tts-vc-2026-01-22", audio: "a.wav" };
const image = { model: "svc-image", size: "8*8" };
const declarations = {
  ...{ a: voice, b: voice, c: voice, d: { ...voice, text: "it does not match" }, e: { ...voice, text: "it is full" } },
  ...{ cover: { ...image, prompt: "a lighthouse" }, failed: { ...image, prompt: "[fail]" } },
};
const typeOf = (name: Name) => (["cover", "failed"].includes(name) ? "GeneratedImage" : "CloudVoice");
type Name = keyof typeof declarations;
const kept: Name[] = ["a", "b", "c", "cover"];

/** One service, and what its resources are called in the program. */
interface Subject {
  seed: number;
  emulator: Emulator;
  nameOf: (name: Name) => string;
}

async function subjectOf(seed: number, suffix = ""): Promise<Subject> {
  const emulator = await emulate({ voiceQuota, dialect: seed, hostile: isHostile(seed) });
  // The account of every second seed is empty.
  emulator.seedVoices("default", seed % 2 === 0 ? 2 : 0);
  return { seed, emulator, nameOf: (name) => `${name}${suffix}` };
}

const isHostile = (seed: number) => seed % 3 === 0;

async function live(stack: Stack, subjects: Subject[], declare: (names: Name[]) => void): Promise<void> {
  const strangers = new Map(subjects.map(({ emulator }) => [emulator, emulator.voices().map(({ voice }) => voice)]));
  const vanish = async (name: Name) => {
    const resources = await stack.resources();
    for (const { emulator, nameOf } of subjects) {
      const id = resources.find(({ urn }) => urn.endsWith(`::${nameOf(name)}`))?.id;
      emulator.vanish("default", emulator.voices().find(({ voice }) => visible(voice) === id)?.voice ?? "");
    }
  };
  /** Where a dialect's list does not say for certain that a voice is gone, a person is asked, and says yes. */
  const answered = async (operation: (stack: Stack) => ReturnType<Stack["up"]>) => {
    const ended = await operation(stack);
    const [, id] = /CLOUDVOICE_ACCEPT=(missing-[0-9a-f]{16})/.exec(ended.output) ?? [];
    return id === undefined ? ended : operation(stack.with({ CLOUDVOICE_ACCEPT: id }));
  };
  /** Each account has the voices of its resources and of strangers, and each was billed as often as it was needed. */
  const assertBooks = async (voicesBilled: number, tasks: number) => {
    const held = (await stack.resources()).flatMap(({ type, id }) => (type.endsWith("CloudVoice") && id ? [id] : []));
    const existing = subjects.flatMap(({ emulator }) =>
      emulator.voices().flatMap(({ voice }) => (strangers.get(emulator)?.includes(voice) ? [] : [visible(voice)])),
    );
    expect(held.sort()).toEqual(existing.sort());
    for (const { emulator } of subjects) expect(emulator.summary()).toMatchObject({ voicesBilled, tasks });
  };

  // Beside what succeeds, an image fails and a create is refused.
  declare([...kept, "failed", "d"]);
  const first = await stack.up("--continue-on-error");
  expect(first.code).not.toBe(0);
  expect(first.output).toContain("Audio.PreprocessError");
  for (const { seed } of subjects)
    if (drawDialect(seed).task.failure !== "nothing") expect(first.output).toContain("DataInspectionFailed");
  await assertBooks(3, 2);

  // A refresh finds the loss of one voice, and the update creates it again. Then the account is full.
  await vanish("a");
  for (const { emulator } of subjects) {
    const added = emulator.seedVoices("default", voiceQuota - 1 - emulator.voices().length);
    strangers.get(emulator)?.push(...added);
  }
  declare([...kept, "e"]);
  const full = await answered((each) => each.up("--refresh"));
  expect(full.code).not.toBe(0);
  expect(full.output).toContain("no longer exists");
  expect(full.output).toMatch(/the account is full/);
  await assertBooks(4, 2);

  await vanish("b");
  expect(await answered((each) => each.destroy())).toMatchObject({ code: 0 });
  await assertBooks(4, 2);
  expect(await stack.resources()).toEqual([]);
}

async function withDialects(seeds: number[], work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error([message, ...seeds.map((seed) => describeDialect(drawDialect(seed)))].join("\n"), { cause: error });
  });
}

async function liveWithClasses(seed: number): Promise<void> {
  const subject = await subjectOf(seed);
  const stack = await Stack.create(subject.emulator, settings);
  await live(stack, [subject], (names) => {
    const resources = names.map((name) => {
      const options = `{ dependsOn: ${name === "e" ? "a" : "[]"} }`;
      return `const ${name} = new cv.${typeOf(name)}("${name}", ${JSON.stringify(declarations[name])}, ${options});`;
    });
    stack.program(resources.join("\n"));
  });
}

// test/dialects has many dialects, on the simulated engine.
test("the whole life of a stack with classes works in a dialect", () =>
  withDialects([201], () => liveWithClasses(201)));

test("the whole life of a stack with the plugin works in two dialects, which two providers of one program meet", () =>
  withDialects([209, 210], async () => {
    const subjects = await Promise.all([209, 210].map((seed) => subjectOf(seed, String(seed))));
    const [first] = subjects as [Subject, Subject];
    const stack = await pluginStack(temporaryFolder(), first.emulator, { settings: { ...fastStart, ...settings } });
    await live(stack, subjects, (names) => {
      const resources: YamlProgram["resources"] = {};
      for (const { seed, emulator, nameOf } of subjects) {
        const { url: baseUrl, apiKey } = emulator;
        resources[`service${seed}`] = { type: "pulumi:providers:cloudvoice", properties: { baseUrl, apiKey } };
        for (const name of names) {
          const dependsOn = name === "e" ? [`\${${nameOf("a")}}`] : [];
          const options = { provider: `\${service${seed}}`, dependsOn };
          resources[nameOf(name)] = { type: `cloudvoice:${typeOf(name)}`, properties: declarations[name], options };
        }
      }
      writeProgram(stack.folder, { resources });
    });
  }));
