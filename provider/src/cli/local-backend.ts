import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * The variables with which Pulumi keeps its state in a folder. The passphrase is not a secret: stacks of this backend
 * hold only keys of the emulator.
 */
export function localBackend(folder: string): Record<string, string> {
  const state = join(folder, "state");
  mkdirSync(state, { recursive: true });
  return {
    // The file backend writes a metadata file next to each stack. If the engine is killed while it writes that file,
    // the file stays empty and Pulumi can no longer read the stack.
    PULUMI_BACKEND_URL: `${pathToFileURL(state).href}?metadata=skip`,
    PULUMI_CONFIG_PASSPHRASE: "cloudvoice-local",
  };
}
