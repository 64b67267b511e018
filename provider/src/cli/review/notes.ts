import { textsOf } from "../../rules/first-of";
import { visible } from "../../rules/visible";
import { shellQuoted } from "../../shell-quoted";
import type { Change } from "./change";
import { renameAdvice } from "./renames";

/** `parents`: the parent of each resource. */
export function notesOf(change: Change, parents: ReadonlyMap<string, string | null | undefined> = new Map()): string[] {
  const { urn, name, id = "", pictures = [], renamedFrom } = change;
  const withParent = (each: string) => ({ urn: each, parent: parents.get(each) });
  const leavesPictures = change.action !== "update" || change.fields.some(({ field }) => field === "saveTo");
  const notes = textsOf([
    leavesPictures &&
      pictures.length > 0 &&
      `saved pictures stay, but nothing refers to them after this update: ${pictures.map(visible).join(", ")}`,
    change.retained &&
      change.kind === "voice" &&
      `its voice ${visible(id)} stays in the account. To delete the voice after the update: ` +
        `\`npx --no-install pulumi-cloudvoice delete ${shellQuoted(id)}\``,
    renamedFrom !== undefined && renameAdvice(withParent(renamedFrom), withParent(urn)),
  ]);
  return notes.map((note) => `${name}: ${note}`);
}
