/**
 * Installs a Chromium before the tests, if there is none and this is root on Debian (usually a container). Elsewhere
 * it reports that the tests of HTML pages will be skipped.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "./chromium";

if (chromium() === undefined && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
  console.error("Installing Debian's Chromium for the tests of HTML pages …");
  const install =
    "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium";
  spawnSync("sh", ["-c", install], { stdio: ["ignore", "ignore", "inherit"] });
}
if (chromium() === undefined) {
  console.error(
    "Chromium was not found, so the tests of HTML pages are skipped. If CI is set, they fail. " +
      "Install Chromium (apt-get install chromium), or set CHROMIUM to its path.",
  );
}
