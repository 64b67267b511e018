/** Downloads or builds the engine before the tests, so that no test waits for it. */
import { getEngine } from "./engine";

getEngine().then(
  (engine) => console.error(`Pulumi ${engine.version} (${engine.how})`),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
