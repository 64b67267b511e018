import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Engine } from "./engine/engine";

/** The repository's folder. */
export const root = join(import.meta.dirname, "..");

/** Everything that runs leave behind: ignored by git, safe to delete together with what it says of the emulator. */
export const localFolder = join(root, ".local");

/** Protects nothing: the local stacks hold a key of the emulator at most. Your own backend takes a passphrase of your own. */
const localPassphrase = "cloudvoice-local";

/** The environment in which `pulumi` finds the engine and, unless the user has a backend, keeps its state in `folder`. */
export function pulumiEnvironment(engine: Engine, folder = localFolder): NodeJS.ProcessEnv {
  const path = { PATH: `${engine.folder}${process.platform === "win32" ? ";" : ":"}${process.env.PATH ?? ""}` };
  const quiet = { PULUMI_SKIP_UPDATE_CHECK: "true" };
  if (process.env.PULUMI_BACKEND_URL) return { ...process.env, ...path, ...quiet };

  const state = join(folder, "state");
  mkdirSync(state, { recursive: true });
  return {
    ...process.env,
    ...path,
    ...quiet,
    PULUMI_HOME: join(folder, "pulumi"),
    // Without side files, which a kill can leave empty, and the stack unreadable with them.
    PULUMI_BACKEND_URL: `${pathToFileURL(state).href}?metadata=skip`,
    PULUMI_CONFIG_PASSPHRASE: localPassphrase,
    PULUMI_CONFIG_PASSPHRASE_FILE: undefined,
  };
}
