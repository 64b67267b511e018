import { Stack as AnyStack } from "../../tools/stack";
import { writeProgram } from "../../tools/plugin-stack";
import { emulate } from "../support/emulate";
import { put } from "../support/files";
import { Stack } from "../support/stack";
import { targetModel, yamlStack } from "./yaml-stack";

/** A preview names every problem of a catalog that the program can know, in each face of the package. */

const good = { audio: "a.wav" };
const modules = ["pulumi-cloudvoice", "pulumi-cloudvoice/native"];

type Fault = [key: string, entry: object, problem: string];
const faults: Fault[] = [
  [
    "support-it",
    { audio: "audio/x.wav" },
    'voices.support-it.audio: "audio/x.wav" does not exist: the path is relative',
  ],
  ["empty", { audio: "empty.wav" }, 'voices.empty.audio: "empty.wav" is an empty file'],
  ["folder", { audio: "recordings" }, 'voices.folder.audio: "recordings" is a folder'],
  ["none", {}, "voices.none.audio: is required"],
  ["blank", { audio: " " }, "voices.blank.audio: is empty"],
  ["scheme", { audio: "ftp://example.com/a.wav" }, "voices.scheme.audio: is a ftp:// URL"],
  ["accent", { ...good, language: "xx" }, 'voices.accent.language: is "xx"; allowed: zh, en'],
  ["model", { ...good, targetModel: "tts-1" }, 'voices.model.targetModel: is "tts-1"; allowed: svc3'],
  [
    "two words",
    { ...good, preferredName: "né" },
    'voices["two words"].preferredName: is "né"; it must be 1 to 16 digits',
  ],
  ["kept", { ...good, renamedFrom: "ok-1" }, 'voices.kept.renamedFrom: "ok-1" is a key of this catalog'],
  [
    "twice",
    { ...good, renamedFrom: ["old", "old"] },
    'voices.twice.renamedFrom: "old" is named twice, here and at voices.twice',
  ],
  [
    "two-more",
    { ...good, renamedFrom: "old" },
    'voices.two-more.renamedFrom: "old" is named twice, here and at voices.twice',
  ],
];
/** YAML's own types refuse these. */
const untyped: Fault[] = [
  [
    "misspelt",
    { ...good, languge: "en" },
    "voices.misspelt: `languge` is not an input of CloudVoice; did you mean `lang",
  ],
  ["words", { ...good, text: 5 }, "voices.words.text: must be a text"],
  ["consent", { ...good, rights: { holder: "Canary Jane" } }, 'voices.consent.rights["evidence"]: must be a text'],
];

function catalogWith(all: Fault[]) {
  const fine = Array.from({ length: 100 - all.length }, (_, index) => [`ok-${index}`, good] as const);
  return {
    defaults: { targetModel },
    voices: Object.fromEntries([...fine, ...all.map(([key, entry]) => [key, entry] as const)]),
  };
}

/** Expects an error that names these problems and no others, in any order. */
function expectProblems(output: string, all: Fault[]): void {
  const lines = output
    .slice(output.indexOf("Diagnostics:"))
    .split("\n")
    .map((line) => line.trim());
  const first = lines.findIndex((line) => line.endsWith(`voices: ${all.length} problems`)) + 1;
  const named = lines
    .slice(first)
    .filter((line) => /^(voices|defaults)\W/.test(line))
    .sort();
  expect(named).toEqual(
    all
      .map(([, , problem]) => problem)
      .sort()
      .map((problem) => expect.stringContaining(problem) as unknown),
  );
}

test.each(modules)("the classes of %s", async (module) => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  AnyStack.writeProject(stack.folder, "program", { native: true });
  put(stack.folder, "empty.wav", "");
  put(stack.folder, "recordings/a.wav", "");
  const declare = (args: string, options: string) =>
    stack.program(`new (require("${module}").VoiceCatalog)("voices", ${args}, ${options});`);
  const all = [...faults, ...untyped];
  const { output } = await declare(JSON.stringify(catalogWith(all)), "{}").preview();
  expectProblems(output, all);
  expect(output).not.toMatch(/\.\/\/|Canary/);
});

test.each(modules)("%s does not judge what is not known, ignored, or may be changed by a transform", async (module) => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  AnyStack.writeProject(stack.folder, "program", { native: true });
  const withAudio = '({ props, opts }) => ({ props: props.audio ? { ...props, audio: "a.wav" } : props, opts })';
  const create = (name: string, fields: string, options = "{}") =>
    `new cv.VoiceCatalog("${name}", { voices: { a: { targetModel: model, ${fields} } } }, ${options});`;
  const program = (audio: string) =>
    stack.program(`{
      const cv = require("${module}");
      const known = new cv.CloudVoice("known", { targetModel: model, audio: "a.wav" });
      ${create("asset", 'audio: new pulumi.asset.FileAsset("a.wav")')}
      ${create("later", 'audio: "a.wav", language: Promise.resolve("en"), text: known.voice')}
      ${create("moved", 'audio: "missing.wav"', `{ transforms: [${withAudio}] }`)}
      ${create("kept", `audio: "${audio}"`, '{ ignoreChanges: ["audioSha256"] }')}
    }`);
  await stack.ok(program("a.wav").up());
  await stack.ok(program("missing.wav").up("--expect-no-changes"));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 5, calls: { create: 5 } });
});

test("a secret value is not shown, and a default is named once", async () => {
  const { stack } = await yamlStack();
  const properties = {
    defaults: { targetModel, language: "xx" },
    voices: { a: { ...good, text: { "fn::secret": "" }, preferredName: { "fn::secret": "Canary!" } }, b: good },
  };
  writeProgram(stack.folder, { resources: { voices: { type: "cloudvoice:VoiceCatalog", properties } } });
  const { output } = await stack.preview();
  expectProblems(output, [
    ["a", {}, "voices.a: preferredName is invalid; the reason is not shown, because the input is secret"],
    ["", {}, 'defaults.language: is "xx"; allowed: zh, en'],
  ]);
  expect(output).not.toContain("Canary");
});

test("a program in YAML", async () => {
  const { stack } = await yamlStack();
  put(stack.folder, "empty.wav", "");
  put(stack.folder, "recordings/a.wav", "");
  writeProgram(stack.folder, {
    resources: { voices: { type: "cloudvoice:VoiceCatalog", properties: catalogWith(faults) } },
  });
  const { output } = await stack.preview();
  expectProblems(output, faults);
});
