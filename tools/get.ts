/**
 * `npm run engine`: gets the engine and what else the tests need, so that no test waits for it. What only some tests need
 * may fail: these tests then report the same error, or are skipped.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "./browser/chromium";
import { getEngine, getProgram } from "./engine/engine";
import { getPythonPackages } from "./engine/python";
import { compileGoDependencies } from "./generate-sdks";
import { getGoTool } from "./go-tools";

async function main(): Promise<void> {
  const engine = await getEngine();
  console.error(`Pulumi ${engine.version} (${engine.how}). For other folders: export PATH="${engine.folder}:$PATH"`);
  for (const program of ["pulumi-language-yaml", "pulumi-language-python", "generate-sdks"] as const)
    getProgram(program, engine);
  getPythonPackages();
  tryTo("The test of the SDK for Go", compileGoDependencies);
  tryTo("The tests of buckets", () => getGoTool("gateway"));
  getChromium();
}

function tryTo(tests: string, get: () => unknown): void {
  try {
    get();
  } catch (error) {
    console.error(`${tests} will fail: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Installs Chromium if this is root on Debian, usually in a container. */
function getChromium(): void {
  if (chromium() === undefined && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.error("Installing Debian's Chromium for the tests of HTML pages …");
    const install =
      "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium";
    spawnSync("sh", ["-c", install], { stdio: ["ignore", "ignore", "inherit"] });
  }
  if (chromium() === undefined)
    console.error(
      "Chromium was not found, so the tests of HTML pages are skipped. If CI is set, they fail. " +
        "Install Chromium (apt-get install chromium), or set CHROMIUM to its path.",
    );
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
