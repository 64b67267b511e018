import * as pulumi from "@pulumi/pulumi";
import { noteUntargeted } from "../shared/untargeted";
import { engineOfProgram } from "./sdk";

/** Notes a voice that a targeted update excludes and that has a former name (shared/untargeted.ts). */
export function recordUntargeted(resource: pulumi.CustomResource, declared: Promise<{ urn: string }>): void {
  const engine = engineOfProgram();
  if (engine === undefined || pulumi.runtime.isDryRun()) return;
  pulumi.all([resource.urn, resource.id, declared]).apply(([urn, id, { urn: declaredUrn }]) => {
    if (urn !== declaredUrn) noteUntargeted(engine, id);
  });
}
