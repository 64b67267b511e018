/** Downloads or builds the engine, and what tests of the plugin need, so that no test waits for it. */
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
    // Only one test needs these dependencies, and it reports the same error.
    console.error(`The test of the SDK for Go will fail: ${error instanceof Error ? error.message : String(error)}`);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
