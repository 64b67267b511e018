import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run as runProgram } from "../run";
import { cache } from "./engine";

/** The oldest SDK that the generated one allows. It runs with the old host of Python programs (`build.ts`). */
const sdkVersion = "3.231.0";

/** The packages that a generated SDK and its installation need. */
const packages = [`pulumi==${sdkVersion}`, "parver", "pip", "setuptools", "wheel"];

/** The site-packages folder of a virtual environment with Pulumi's Python SDK, which is installed once and cached. */
export function getPythonPackages(): string {
  const folder = join(cache, `python-${pythonVersion()}-${sdkVersion}`);
  if (!existsSync(folder)) {
    console.error("  installing Pulumi's Python SDK (half a minute the first time) …");
    mkdirSync(cache, { recursive: true });
    const work = mkdtempSync(`${folder}-`);
    try {
      run("python3", ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", work, ...packages]);
      renameSync(work, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return folder;
}

/** Makes the virtual environment `venv` in the folder, with the cached packages and a package of one's own. */
export function makeVirtualEnvironment(folder: string, ownPackage: string): void {
  const venv = join(folder, "venv");
  run("python3", ["-m", "venv", "--without-pip", venv]);
  const python = join(venv, "bin", "python");
  const site = run(python, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).trim();
  const shared = getPythonPackages();
  writeFileSync(join(site, "shared.pth"), `${shared}\n`);
  // An isolated build would download setuptools again.
  const options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", site];
  run("python3", ["-m", "pip", "install", ...options, ownPackage], { PYTHONPATH: shared });
}

function pythonVersion(): string {
  return run("python3", ["-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).trim();
}

const run = (command: string, args: string[], env: Record<string, string> = {}) =>
  runProgram(command, args, { cwd: import.meta.dirname, env });
