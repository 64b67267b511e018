import { writeProgram } from "../../tools/plugin-stack";
import { Stack as AnyStack } from "../../tools/stack";
import { emulate } from "../support/emulate";
import { counted, Stack } from "../support/stack";
import { image, targetModel, voice } from "./yaml-stack";

/** A stack keeps what it has when its program changes from one face of the package to another. */

const same = "({ props, opts }) => ({ props, opts })";
const withAnAlias =
  '({ props, opts }) => ({ props, opts: pulumi.mergeOptions(opts, { aliases: [{ name: "another" }] }) })';

test("a stack moves between the classes of both entry points and YAML, and pays for nothing", async () => {
  const emulator = await emulate();
  const [byHand = ""] = emulator.seedVoices("default", 1, { preferredName: "by_hand" });
  const stack = await Stack.create(emulator, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1" });
  const question = { ok: { type: "noul", instructions: "Is it fine?" } };
  const asClasses = (entry: "" | "/native") => {
    AnyStack.writeProject(stack.folder, "program", { native: true });
    stack.program(`{
      const cv = require("pulumi-cloudvoice${entry}");
      const rights = { holder: pulumi.secret("Canary Jane"), evidence: "file 7" };
      new cv.CloudVoice("narrator", { targetModel: model, audio: "a.wav", rights });
      new cv.CloudVoice("taken", { targetModel: model, audio: "b.mp3", adopt: "${byHand}" });
      new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse" });
      new cv.Decision("gate", { state: "some state", questions: ${JSON.stringify(question)} });
      const voices = { one: { audio: "a.wav", language: "en" }, two: { audio: "c.m4a", text: pulumi.secret("hush") } };
      new cv.VoiceCatalog("voices", { defaults: { targetModel: model }, voices }, { transforms: [${same}] });
    }`);
  };
  const asYaml = () =>
    writeProgram(stack.folder, {
      resources: {
        narrator: voice({ rights: { holder: { "fn::secret": "Canary Jane" }, evidence: "file 7" } }),
        taken: voice({ audio: "b.mp3", adopt: byHand }),
        cover: image(),
        gate: { type: "cloudvoice:Decision", properties: { state: "some state", questions: question } },
        voices: {
          type: "cloudvoice:VoiceCatalog",
          properties: {
            defaults: { targetModel },
            voices: {
              one: { audio: "a.wav", language: "en" },
              two: { audio: "c.m4a", text: { "fn::secret": "hush" } },
            },
          },
        },
      },
    });
  const ids = async () => (await stack.resources()).flatMap(({ id }) => id ?? []).sort();
  asClasses("");
  await stack.ok(stack.up());
  const before = await ids();
  expect(before).toHaveLength(6);
  const billed = () => {
    const { voicesBilled, tasks, tokens } = emulator.summary();
    return { voicesBilled, tasks, tokens, deleted: emulator.summary().calls.delete };
  };
  const bill = billed();
  const moves = [() => asClasses("/native"), asYaml, () => asClasses("")];
  for (const [index, move] of moves.entries()) {
    move();
    const up = await stack.ok(stack.up());
    for (const change of ["created", "replaced", "deleted"])
      expect([index, change, counted(up, change)]).toEqual([index, change, 0]);
    await stack.ok(stack.preview("--expect-no-changes"));
    if (index === 0) expect(await stack.state()).not.toMatch(/__provider|"label"/);
    expect([await ids(), billed()]).toEqual([before, bill]);
  }
});

test("a catalog moves between the classes with a transform of its own or of a component around it", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const asClasses = (entry: "" | "/native") => {
    AnyStack.writeProject(stack.folder, "program", { native: true });
    stack.program(`{
      const { VoiceCatalog } = require("pulumi-cloudvoice${entry}");
      const args = { defaults: { targetModel: model }, voices: { one: { audio: "a.wav" } } };
      for (const [index, transform] of [${same}, ${withAnAlias}].entries()) {
        new VoiceCatalog("own-" + index, args, { transforms: [transform] });
        const parent = new pulumi.ComponentResource("my:index:Studio", "studio-" + index, {}, { transforms: [transform] });
        new VoiceCatalog("inside-" + index, args, { parent });
      }
    }`);
  };
  asClasses("");
  await stack.ok(stack.up());
  for (const entry of ["/native", ""] as const) {
    asClasses(entry);
    await stack.ok(stack.up());
    await stack.ok(stack.preview("--expect-no-changes"));
    expect(emulator.summary()).toMatchObject({ voicesBilled: 4, calls: { create: 4 } });
    expect(emulator.summary().calls).not.toHaveProperty("delete");
  }
});
