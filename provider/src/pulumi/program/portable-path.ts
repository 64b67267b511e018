import { isAbsolute, relative, sep } from "node:path";
import * as pulumi from "@pulumi/pulumi";

/** An absolute path becomes relative to the program's folder, so that the state fits every machine. */
export function portable(path: string): string {
  return isAbsolute(path) ? relative(process.cwd(), path).split(sep).join("/") || "." : path;
}

export function portablePath(path: pulumi.Input<string> | undefined): pulumi.Input<string> | undefined {
  if (path === undefined) return undefined;
  // `check` refuses a value that is not a text.
  return pulumi
    .output(path)
    .apply((known: unknown) => (typeof known === "string" ? portable(known) : (known as string)));
}
