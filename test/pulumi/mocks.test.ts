import * as pulumi from "@pulumi/pulumi";
import { CloudVoice, Decision, GeneratedImage, question, VoiceCatalog } from "../../provider/src";

/** Programs that users test with mocks: nothing is called, nothing must be configured. */

const registered: pulumi.runtime.MockResourceArgs[] = [];
beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: (args) => {
      registered.push(args);
      return {
        id: `${args.name}-id`,
        state: { ...(args.inputs as Record<string, unknown>), voice: `${args.name}-voice` },
      };
    },
    call: ({ inputs }) => inputs as Record<string, unknown>,
  }),
);

const known = <T>(output: pulumi.Output<T>) => new Promise<T>((resolve) => output.apply(resolve));

test("a catalog gives typed voices and a manifest", async () => {
  const catalog = new VoiceCatalog("voices", {
    defaults: { targetModel: "svc3-tts-vc-2026-01-22" },
    voices: { narrator: { audio: "a.wav", language: "en" }, support: { audio: "b/b.mp3" } },
  });
  expect(await known(catalog.manifest)).toEqual({
    narrator: { voice: "voices-narrator-voice", targetModel: "svc3-tts-vc-2026-01-22", language: "en" },
    support: { voice: "voices-support-voice", targetModel: "svc3-tts-vc-2026-01-22" },
  });
  expect(await known(catalog.voices.support.audio)).toBe("b/b.mp3");
  expect(CloudVoice.isInstance(catalog.voices.narrator)).toBe(true);
});

test("the types of resources stand in state files, and are what they always were", async () => {
  const voice = new CloudVoice("v", { targetModel: "m", audio: "a.wav" });
  const image = new GeneratedImage("i", { model: "svc-image", prompt: "p" }, { customTimeouts: { create: "1h30m" } });
  const decision = new Decision("d", { state: "s", questions: { q: question.noul("?") } });
  expect(
    await known(
      pulumi.all([voice.urn, image.urn, decision.urn]).apply((urns) => urns.map((urn) => urn.split("::")[2])),
    ),
  ).toEqual([
    "pulumi-nodejs:dynamic/cloudvoice:CloudVoice",
    "pulumi-nodejs:dynamic/cloudvoice:GeneratedImage",
    "pulumi-nodejs:dynamic/cloudvoice:Decision",
  ]);
  expect(await known(image.timeoutSeconds)).toBe(5400);
  expect(registered.some(({ type }) => type === "cloudvoice:index:VoiceCatalog")).toBe(true);
});

test.each(["prompt", "negativePrompt", "saveTo"])("the images of a secret %s are marked as secret", async (name) => {
  const plain = { model: "svc-image", prompt: "p", saveTo: "covers" };
  await known(new GeneratedImage(`plain-${name}`, plain as never).urn);
  await known(new GeneratedImage(`secret-${name}`, { ...plain, [name]: pulumi.secret("s") } as never).urn);
  const marksOf = (of: string) => {
    const { images, taskOutput } = registered.find((each) => each.name === of)?.inputs as Record<string, unknown>;
    return { images, taskOutput };
  };
  const secret = expect.objectContaining({ value: "" }) as unknown;
  expect(marksOf(`secret-${name}`)).toEqual({ images: secret, taskOutput: secret });
  expect(marksOf(`plain-${name}`)).toEqual({});
});
