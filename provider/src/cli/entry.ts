#!/usr/bin/env node
import { engines } from "../../package.json";

// An older Node.js may fail to parse the other modules, so they are loaded after the check.
const needed = engines.node.replace(">=", "");
const [runningMajor = 0, runningMinor = 0] = process.versions.node.split(".").map(Number);
const [major = 0, minor = 0] = needed.split(".").map(Number);
if (runningMajor > major || (runningMajor === major && runningMinor >= minor)) void import("./main");
else {
  process.stderr.write(
    `pulumi-cloudvoice needs Node.js ${needed} or newer, and this is Node.js ${process.versions.node}. ` +
      "Install a newer Node.js.\n",
  );
  process.exitCode = 1;
}
