import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Engine } from "./engine/engine";

/** The repository's folder. */
export const root = join(import.meta.dirname, "..");

/**
 * The folder of local Pulumi state and of the emulator's data. Git ignores it. Delete it only as a whole: the state
 * refers to resources in the emulator's data.
 */
export const localFolder = join(root, ".local");

/**
 * Not a secret: local stacks hold only keys of the emulator. A backend of your own (PULUMI_BACKEND_URL) uses your own
 * passphrase.
 */
const localPassphrase = "cloudvoice-local";

/**
 * The environment for `pulumi`, with the engine first on the PATH. Pulumi keeps its state in `folder`, unless
 * PULUMI_BACKEND_URL names another backend.
 */
export function pulumiEnvironment(
  engine: Engine,
  folder = localFolder,
  inherited: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const common = {
    ...inherited,
    PATH: `${engine.folder}${delimiter}${inherited.PATH ?? ""}`,
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  if (inherited.PULUMI_BACKEND_URL) return common;

  const state = join(folder, "state");
  mkdirSync(state, { recursive: true });
  return {
    ...common,
    PULUMI_HOME: join(folder, "pulumi"),
    // The file backend writes a metadata file next to each stack. If the engine is killed while it writes that file,
    // the file stays empty and Pulumi can no longer read the stack.
    PULUMI_BACKEND_URL: `${pathToFileURL(state).href}?metadata=skip`,
    PULUMI_CONFIG_PASSPHRASE: localPassphrase,
    PULUMI_CONFIG_PASSPHRASE_FILE: undefined,
  };
}
