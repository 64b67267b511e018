import { parseStorage } from "../rules/storage";
import { resourceKind, typeIn, voiceCatalogType } from "../rules/resource-types";
import type { Preview } from "./review/preview";

export interface Plan {
  preview: Pick<Preview, "steps" | "whole">;
  /** The address of the backend. Undefined if it is not known. */
  backend: string | undefined;
  /** The setting `journal`. */
  journal: string | undefined;
  environment: { CI?: string | undefined };
}

/** The fewest changes for which an update without checkpoints saves a noticeable time. */
export const manyChanges = 50;

/**
 * Whether an update can run without checkpoints: it is faster, and if it is killed, only the journal knows what it
 * created. So every resource must be one that the journal notes, and the notes must outlive the machine. The hosted
 * backend saves single steps, and does not need this.
 */
export function canSkipCheckpoints({ preview, backend, journal = "", environment }: Plan): boolean {
  const savesWholeStates = /^(file|s3|gs|azblob):\/\//.test(backend ?? "");
  const notesStay = /^(0|false)?$/i.test(environment.CI ?? "") || "bucket" in parseStorage(journal);
  return (
    savesWholeStates &&
    notesStay &&
    preview.whole &&
    preview.steps.every(({ urn }) => isOwn(typeIn(urn))) &&
    changesIn(preview) >= manyChanges
  );
}

export function changesIn({ steps }: Pick<Preview, "steps">): number {
  return steps.filter(({ op }) => ["create", "update", "replace", "delete"].includes(op)).length;
}

/** Whether the type is one of this package, or the stack or a provider, which the next run can register again. */
function isOwn(type: string): boolean {
  const others = ["pulumi:pulumi:Stack", "pulumi:providers:cloudvoice", "pulumi:providers:pulumi-nodejs"];
  return resourceKind(type) !== undefined || type === voiceCatalogType || others.includes(type);
}
