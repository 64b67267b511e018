#!/usr/bin/env node
import { engines } from "../../package.json";

// A file of its own, because an older Node.js may not even parse the others.
const needed = engines.node.replace(">=", "");
const [isMajor = 0, isMinor = 0] = process.versions.node.split(".").map(Number);
const [major = 0, minor = 0] = needed.split(".").map(Number);
if (isMajor > major || (isMajor === major && isMinor >= minor)) void import("./main");
else {
  process.stderr.write(
    `pulumi-cloudvoice needs Node.js ${needed} or newer, and this is Node.js ${process.versions.node}. Install a newer one.\n`,
  );
  process.exitCode = 1;
}
