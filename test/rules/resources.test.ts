import { z } from "zod";
import { outputsIn } from "../../provider/src/rules/outputs";
import { addedOutputs, derivedOutputs, resources } from "../../provider/src/rules/resources";
import type { ResourceKind } from "../../provider/src/rules/resource-types";

/** What the two faces of the package, the dynamic provider and the plugin, ask about a resource's outputs. */

test.each<[kind: ResourceKind, outputs: string[], inputs: string[]]>([
  ["voice", [], []],
  ["image", ["images", "taskOutput"], ["prompt", "negativePrompt", "saveTo"]],
  ["decision", ["answers", "received"], ["state", "questions"]],
])("a secret input of a resource of the kind %s makes %j secret: one of %j", (kind, names, from) => {
  expect(derivedOutputs(resources[kind])).toEqual({ names, from });
});

test.each<[kind: ResourceKind, outputs: string[]]>([
  [
    "voice",
    ["voice", "createdAt", "audioSha256", "audioSeconds", "degraded", "degradedReason", "adopted", "requestId"],
  ],
  ["image", ["taskId", "taskStatus", "images", "taskOutput", "requestId", "expiresAt"]],
  ["decision", ["answers", "model", "requestId", "inputTokens", "latencyMs", "received"]],
])("programs see these outputs of a resource of the kind %s, beside its inputs: %j", (kind, names) => {
  expect(addedOutputs(resources[kind])).toEqual(names);
});

test("an output without a meaning is a mistake in this package", () => {
  expect(() => outputsIn(z.object({ pace: z.number() }))).toThrow(/The output pace is declared without a meaning/);
});

test("an output is known by its name, its type and its meaning", () => {
  const { outputs } = resources.voice;
  expect(outputsIn(outputs)[0]).toEqual({
    name: "voice",
    schema: outputs.shape.voice as unknown,
    meaning: { description: expect.stringMatching(/^The voice's name/) as string },
  });
});
