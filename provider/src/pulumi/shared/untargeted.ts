import * as pulumi from "@pulumi/pulumi";
import { LocalNotes, noteKey } from "../../service/local-notes";

/*
 * Voices of resources that a targeted update leaves out under their former names.
 *
 * An `up --target <former name>` of a resource that was renamed by an alias neither checks nor diffs it, and yet deletes an old copy
 * that an interrupted replacement left under that name. The two may hold one voice, and nothing that the provider's process is told
 * says that one of them lives on. The program is told: of a resource that the engine leaves as it is, it gets back the former URN.
 * So the program leaves a note for the provider's process of the same engine.
 */
const notes = new LocalNotes("left-out");

/** In the program. */
export function recordUntargeted(resource: pulumi.CustomResource, declared: Promise<{ urn: string }>): void {
  const engine = process.env.PULUMI_NODEJS_ENGINE;
  if (engine === undefined || pulumi.runtime.isDryRun()) return;
  pulumi.all([resource.urn, resource.id, declared]).apply(([urn, id, { urn: declaredUrn }]) => {
    if (urn !== declaredUrn) notes.remember(noteKey(engine, id), id);
  });
}

/** In the provider's process, whose first argument is the engine's address. */
export function wasUntargeted(id: string): boolean {
  const key = noteKey(process.argv[2], id);
  const found = notes.recall(key, Date.now()) !== undefined;
  // Said once, for another engine may get the same address.
  if (found) notes.forget(key);
  return found;
}
