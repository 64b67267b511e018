import { cpSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../provider/package.json";
import { getPythonPackages, makeVirtualEnvironment } from "../engine/python";
import { packedPythonSdk } from "../generate-sdks";
import { run } from "../run";

/** Makes the wheel of the SDK for Python, and returns its path. `work`: a folder that does not exist. */
export function makeWheel(into: string, work: string): string {
  // The build writes into the folder of the sources.
  cpSync(packedPythonSdk, work, { recursive: true });
  // Uses the cached build tools. An isolated build would download them.
  const options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", into];
  run("python3", ["-m", "pip", "wheel", ...options, work], { env: { PYTHONPATH: getPythonPackages() } });
  return join(into, `pulumi_cloudvoice-${version}-py3-none-any.whl`);
}

/** Installs the wheel as users do, and imports it. */
export function proveWheel(wheel: string, work: string): void {
  makeVirtualEnvironment(work, wheel);
  run(join(work, "venv", "bin", "python"), ["-c", "import pulumi_cloudvoice; pulumi_cloudvoice.CloudVoice"]);
}
