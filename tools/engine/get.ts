/** Gets the engine beforehand, for commands that must not wait for it in their midst. */
import { getEngine } from "./engine";

getEngine().then(
  (engine) => console.error(`Pulumi ${engine.version} (${engine.how})`),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
