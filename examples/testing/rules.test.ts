import * as pulumi from "@pulumi/pulumi";
import type * as program from "./index";

/** With Pulumi's mocks: no engine, no service, a second. What the program declares, not what becomes of it. */

const declared: pulumi.runtime.MockResourceArgs[] = [];

beforeAll(async () => {
  await pulumi.runtime.setMocks({
    newResource: (args) => {
      declared.push(args);
      return { id: `${args.name}-id`, state: { ...args.inputs, voice: `a-voice-for-${args.name}` } };
    },
    call: ({ inputs }) => inputs,
  });
});

test("every voice names its language, and the manifest has them all", async () => {
  // Not imported above: the program may run only when the mocks are there.
  const { manifest } = jest.requireActual<typeof program>("./index");
  const entries = await new Promise<Record<string, { voice: string; language?: string }>>((resolve) =>
    manifest.apply(resolve),
  );
  expect(entries.narrator).toMatchObject({ voice: "a-voice-for-product-narrator", language: "en" });

  const voices = declared.filter(({ type }) => type.endsWith(":CloudVoice"));
  expect(voices).toHaveLength(2);
  for (const voice of voices) expect(voice.inputs.language).toBeDefined();
});
