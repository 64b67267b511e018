import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeProgram } from "../../tools/plugin-stack";
import { cloudvoice } from "../support/cloudvoice";
import { image, targetModel, voice, yamlStack } from "./yaml-stack";

/** `pulumi-cloudvoice move` on the real engine. */

const properties = {
  defaults: { targetModel },
  voices: {
    narrator: { audio: "a.wav", text: { "fn::secret": "spoken in secret" } },
    support: { audio: "b.mp3", language: "de", rights: { holder: "Ann", evidence: "file 12" } },
  },
};
test("a catalog becomes a set: the next preview has nothing to do, also for what depends on it, and nothing is sent", async () => {
  const { emulator, stack } = await yamlStack();
  // It stands in the state before the last voice.
  const cover = { cover: image({ prompt: "A picture of ${voices.manifest.narrator.voice}" }) };
  const write = (
    type: string,
    options: Record<string, unknown> = {},
    inputs: Record<string, unknown> = properties,
    rest: object = cover,
  ) =>
    writeProgram(stack.folder, {
      resources: { voices: { type: `cloudvoice:${type}`, properties: inputs, options }, ...rest },
      outputs: { manifest: "${voices.manifest}" },
    });
  write("VoiceCatalog", { protect: true });
  await stack.ok(stack.up());
  const before = emulator.summary();
  const made = (await stack.outputs()).manifest;

  // The program alone, and below the state alone: the preview names what is forgotten.
  write("VoiceSet", { protect: true }, properties, {});
  const forgotten = /`npx --no-install pulumi-cloudvoice move voices --stack dev` keeps/;
  expect((await stack.preview()).output).toMatch(forgotten);

  const move = await cloudvoice(stack, ["move", "--yes"]);
  expect(move).toMatchObject({ code: 0 });
  expect(move.stderr).toMatch(/voices is a VoiceSet with 2 voices now/);
  const copy = / The old state is in (.*)\n$/.exec(move.stderr)?.[1] ?? "";
  expect((statSync(copy).mode & 0o777).toString(8)).toBe("600");

  write("VoiceCatalog", {}, properties, {});
  const back = /`pulumi-cloudvoice move`.* entries of the set voices .*Write VoiceSet in the program/;
  expect((await stack.preview()).output).toMatch(back);

  write("VoiceSet", { protect: true });
  await stack.ok(stack.preview("--expect-no-changes"));
  expect((await stack.outputs()).manifest).toEqual(made);
  expect(await cloudvoice(stack, ["move", "--yes"])).toMatchObject({ code: 1, stderr: /no VoiceCatalog/ });
  // And back: the voices leave the set, and a catalog adopts them.
  const voices = made as Record<keyof typeof properties.voices, { voice: string }>;
  write("VoiceSet", {}, { ...properties, voices: {}, keepRemoved: true }, {});
  await stack.ok(stack.up());
  const adopting = Object.entries(properties.voices).map(([key, entry]) => [
    key,
    { ...entry, adopt: voices[key as keyof typeof voices].voice },
  ]);
  write("VoiceCatalog", {}, { ...properties, voices: Object.fromEntries(adopting) });
  await stack.ok(stack.up());
  expect(emulator.summary()).toMatchObject({
    voicesBilled: before.voicesBilled,
    calls: { create: before.calls.create },
  });
  expect(emulator.summary().calls.delete).toBeUndefined();
  expect((await stack.outputs()).manifest).toEqual(made);
});

test("voices that were imported become a set, which needs no update, once their recordings are declared", async () => {
  const { emulator, stack } = await yamlStack();
  emulator.seedVoices("default", 3, { preferredName: "by_hand" });
  const list = await cloudvoice(stack, ["voices", "--adopt", "--format", "import"]);
  const { resources } = JSON.parse(list.stdout) as { resources: { name: string; id: string }[] };
  writeFileSync(join(stack.folder, "import.json"), list.stdout);
  await stack.ok(stack.pulumi("import", "--file", "import.json", "--yes"));

  const early = await cloudvoice(stack, ["move", "voices", "--flat", "--yes"]);
  expect(early).toMatchObject({ code: 1, stderr: expect.stringMatching(/imported.*Write its `audio`/s) as string });
  const entry = { targetModel, audio: "a.wav", language: "en" };
  const flat = voice(entry, { protect: true });
  writeProgram(stack.folder, { resources: Object.fromEntries(resources.map(({ name }) => [name, flat])) });
  await stack.ok(stack.up());

  expect(await cloudvoice(stack, ["move", "voices", "--flat", "--yes"])).toMatchObject({ code: 0 });
  const voices = Object.fromEntries(resources.map(({ name }) => [name, entry]));
  const set = { type: "cloudvoice:VoiceSet", properties: { voices }, options: { protect: true } };
  writeProgram(stack.folder, { resources: { voices: set }, outputs: { manifest: "${voices.manifest}" } });
  await stack.ok(stack.preview("--expect-no-changes"));
  await stack.ok(stack.up());
  const { manifest } = await stack.outputs();
  for (const { name, id } of resources) expect(manifest).toMatchObject({ [name]: { voice: id } });
  expect(emulator.summary()).toMatchObject({ voicesBilled: 0 });
  expect(emulator.voices()).toHaveLength(3);
});
