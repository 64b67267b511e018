import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../provider/emulator";
import { root } from "./local";
import { putRecordings, Stack, type StackOptions } from "./stack";

/** A program for the native plugin, as Pulumi's YAML describes it. */
export interface YamlProgram {
  resources: Record<string, YamlResource>;
  variables?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
}

export interface YamlResource {
  type: string;
  properties?: Record<string, unknown>;
  options?: Record<string, unknown>;
  /** Reads an existing resource that the program does not manage. */
  get?: { id: string };
}

/** The folder of the built plugin. */
export const pluginFolder = join(root, "provider", "plugin");

/**
 * Creates a project and a stack in an empty folder. The program is in YAML and uses the built plugin, so run
 * `npm run build` first.
 */
export async function pluginStack(
  folder: string,
  emulator: Pick<Emulator, "url" | "apiKey">,
  options: Omit<StackOptions, "modules" | "host"> = {},
): Promise<Stack> {
  putRecordings(folder);
  writeProgram(folder, { resources: {} });
  return Stack.of(folder, emulator, { ...options, host: "pulumi-language-yaml" });
}

/** Writes the program, which is a part of the project's file. JSON is YAML too. */
export function writeProgram(folder: string, program: YamlProgram, path = pluginFolder): void {
  const project = {
    name: "program",
    runtime: "yaml",
    ...(path !== "" && { plugins: { providers: [{ name: "cloudvoice", path }] } }),
    ...program,
  };
  writeFileSync(join(folder, "Pulumi.yaml"), JSON.stringify(project, null, 2));
}
