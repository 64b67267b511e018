/** Gets a Chromium where there is none: Debian's package, when we are root there (a container, as a rule). Else says what is missing. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "./chromium";

if (chromium() === undefined && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
  console.error("Installing Debian's Chromium for the tests of pages …");
  const install =
    "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium";
  spawnSync("sh", ["-c", install], { stdio: ["ignore", "ignore", "inherit"] });
}
if (chromium() === undefined) {
  console.error(
    "No Chromium here, so the tests of pages are skipped (with CI set they fail). Install one (apt-get install chromium), or name it in CHROMIUM.",
  );
}
