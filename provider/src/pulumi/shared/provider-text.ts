import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";

const packageName = "pulumi-cloudvoice";

/**
 * How the engine finds the code of a resource: text that stands in every state file, twice for each resource. States of today are
 * read and deleted by versions to come through this very text, so it never changes; it is short because the engine rewrites the
 * whole state at every step.
 */
export function providerText(exported: "cloudVoice" | "generatedImage" | "decision"): string {
  return `exports.handler=()=>require("${packageName}/provider").${exported}`;
}

let resolved = false;

/** The text above is evaluated in the program's folder, which must be able to find this package. */
export function requireResolvable(): void {
  // With mocks there is no engine, and no provider process that could fail.
  if (resolved || !pulumi.runtime.hasEngine()) return;
  const folder = process.cwd();
  try {
    createRequire(join(folder, "program.js")).resolve(`${packageName}/provider`);
    resolved = true;
  } catch {
    throw new pulumi.RunError(
      `${packageName} can't be found from the program's folder, ${folder}, where the engine looks for it. ` +
        `Make it a dependency of the program too: npm install ${packageName} (or pnpm add, yarn add) in that folder.`,
    );
  }
}
