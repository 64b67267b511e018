/**
 * Downloads or builds the engine before the tests, so that no test waits for it, and what the tests of the plugin
 * need.
 */
import { compileGoDependencies } from "../generate-sdks";
import { getEngine, getProgram } from "./engine";
import { getPythonPackages } from "./python";

async function main(): Promise<void> {
  const engine = await getEngine();
  console.error(`Pulumi ${engine.version} (${engine.how}). For other folders: export PATH="${engine.folder}:$PATH"`);
  for (const program of ["pulumi-language-yaml", "pulumi-language-python", "generate-sdks"] as const)
    getProgram(program, engine);
  getPythonPackages();
  try {
    compileGoDependencies();
  } catch (error) {
    // Only one test needs them. It reports the same.
    console.error(`The test of the SDK for Go will fail: ${error instanceof Error ? error.message : String(error)}`);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
