import * as pulumi from "@pulumi/pulumi";
import type * as program from "./index";

/**
 * A unit test with Pulumi's mocks. It checks what the program declares. It needs neither the engine nor the service,
 * and takes a second.
 */

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

test("every voice states its language and is in the manifest", async () => {
  // Importing the program runs it, so it must be loaded after `setMocks`.
  const { manifest } = jest.requireActual<typeof program>("./index");
  const entries = await new Promise<Record<string, { voice: string; language?: string }>>((resolve) =>
    manifest.apply(resolve),
  );
  expect(entries.narrator).toMatchObject({ voice: "a-voice-for-product-narrator", language: "en" });

  const voices = declared.filter(({ type }) => type.endsWith(":CloudVoice"));
  expect(voices).toHaveLength(2);
  for (const voice of voices) expect(voice.inputs.language).toBeDefined();
});
