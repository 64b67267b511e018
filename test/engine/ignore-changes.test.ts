import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { emulate } from "../support/emulate";
import { recordings } from "../support/files";
import { Stack } from "../support/stack";

/** `ignoreChanges` never pays and never deletes, in whichever way a program sets it. */

const options = (...paths: string[]) => `{ ignoreChanges: ${JSON.stringify(paths)} }`;
const transformation = (...paths: string[]) =>
  `{ transformations: [({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, ${options(...paths)}) })] }`;
const transform = (...paths: string[]) =>
  `{ transforms: [async ({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, ${options(...paths)}) })] }`;

const forms: Record<string, string> = {
  option: options("audio"),
  hash: options("audioSha256"),
  everything: options("*"),
  transformation: transformation("audio"),
  transformationOfHash: transformation("audioSha256"),
  transformationOfAll: transformation("*"),
  transform: transform("audio"),
  transformOfAll: transform("*"),
};

test("another recording under the same path, and other inputs: nothing is paid, deleted or shown as a change", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const program = (audio: string, prompt = "A lighthouse") =>
    stack.program(`
      const args = { targetModel: model, audio: "${audio}", language: "en" };
      const forms = { ${Object.entries(forms)
        .map(([form, each]) => `${form}: ${each}`)
        .join(", ")} };
      for (const [form, opts] of Object.entries(forms)) {
        new cv.CloudVoice(form, args, opts);
        new cv.VoiceCatalog("in-" + form, { voices: { entry: args } }, opts);
      }
      const all = ${options("*")};
      new cv.GeneratedImage("image", { model: "svc-image", prompt: "${prompt}", size: "64*48" }, all);
      new cv.Decision("decision", { state: "${prompt}", questions: { good: cv.question.noul("Good?") } }, all);`);
  const held = async () => (await stack.resources()).map(({ urn, id }) => `${urn} ${id ?? ""}`).sort();
  await stack.ok(program("a.wav").up());
  const before = await held();

  copyFileSync(recordings.otherMp3, join(stack.folder, "a.wav"));
  await stack.ok(program("a.wav", "A harbour").up("--expect-no-changes"));
  await stack.ok(program("missing.wav").up("--expect-no-changes", "--refresh"));
  expect(await held()).toEqual(before);
  const { create, delete: deletes, submit, decide } = emulator.summary().calls;
  expect([create, deletes, submit, decide]).toEqual([2 * Object.keys(forms).length, undefined, 1, 1]);
});
