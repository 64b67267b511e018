import { delimiter, join } from "node:path";
import { localBackend } from "../provider/src/cli/dev";
import type { Engine } from "./engine/engine";

/** The repository's folder. */
export const root = join(import.meta.dirname, "..");

/**
 * The folder of what the tools make. Git ignores it. In `dev` are Pulumi's local state and the emulator's data: delete
 * `dev` only as a whole, because the state refers to resources in the emulator's data.
 */
export const localFolder = join(root, ".local");

/** The variables that make `pulumi` the engine's. */
export function withEngine(engine: Engine, { PATH = "" }: NodeJS.ProcessEnv) {
  return { PATH: `${engine.folder}${delimiter}${PATH}`, PULUMI_SKIP_UPDATE_CHECK: "true" };
}

/**
 * The environment for `pulumi`, with the engine first on the PATH. Pulumi keeps its state in `folder`, unless
 * PULUMI_BACKEND_URL names another backend.
 */
export function pulumiEnvironment(
  engine: Engine,
  folder = localFolder,
  inherited: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const common = { ...inherited, ...withEngine(engine, inherited) };
  if (inherited.PULUMI_BACKEND_URL) return common;
  return {
    ...common,
    PULUMI_HOME: join(folder, "pulumi"),
    ...localBackend(folder),
    PULUMI_CONFIG_PASSPHRASE_FILE: undefined,
  };
}
