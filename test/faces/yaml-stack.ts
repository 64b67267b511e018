import type { EmulatorOptions } from "../../provider/emulator";
import type { Review } from "../../provider/src/cli/review/review";
import { pluginStack, writeProgram, type YamlProgram, type YamlResource } from "../../tools/plugin-stack";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { copy, recordings, temporaryFolder } from "../support/files";
import type { Stack } from "../support/stack";

/** Stacks with the native plugin, on the real engine, whose programs are in YAML. */

export const targetModel = "svc3-tts-vc-2026-01-22";

type Parts = Record<string, unknown>;
export const voice = (properties: Parts = {}, options: Parts = {}): YamlResource => ({
  type: "cloudvoice:CloudVoice",
  properties: { targetModel, audio: "a.wav", ...properties },
  options,
});
export const image = (properties: Parts = {}, options: Parts = {}): YamlResource => ({
  type: "cloudvoice:GeneratedImage",
  properties: { model: "svc-image", prompt: "A lighthouse", ...properties },
  options,
});

/** A stack on an emulator of its own, whose voices are listed at once. */
export async function yamlStack(resources: YamlProgram["resources"] = {}, options?: EmulatorOptions) {
  const emulator = await emulate(options);
  const settings = { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05", CLOUDVOICE_SETTLE_SECONDS: "0.05" };
  const stack = await pluginStack(temporaryFolder(), emulator, { settings });
  writeProgram(stack.folder, { resources });
  return { emulator, stack };
}

/** The resource of this name, as the state has it. */
export async function resourceNamed(stack: Stack, name: string) {
  const found = (await stack.resources()).find(({ urn }) => urn.endsWith(`::${name}`));
  if (found === undefined) throw new Error(`The state has no resource ${name}.`);
  return found;
}

/** Somebody records b.mp3 again. */
export const recordAgain = ({ folder }: Stack) => copy(recordings.otherMp3, folder, "b.mp3");

/** The review of what the next update does. */
export async function reviewed(stack: Stack, ...args: string[]): Promise<Review> {
  return JSON.parse((await cloudvoice(stack, ["review", "--format", "json", ...args])).stdout) as Review;
}
