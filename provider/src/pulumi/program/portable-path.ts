import * as pulumi from "@pulumi/pulumi";
import { portable } from "../shared/portable";

/** An absolute path becomes relative to the program's folder. */
export function portablePath(path: pulumi.Input<string> | undefined): pulumi.Input<string> | undefined {
  if (path === undefined) return undefined;
  // `check` refuses a value that is not a text.
  return pulumi
    .output(path)
    .apply((known: unknown) => (typeof known === "string" ? portable(known) : (known as string)));
}
