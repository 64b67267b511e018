import { textsOf } from "../../rules/first-of";
import { visible } from "../../rules/visible";
import { shellQuoted } from "../../shell-quoted";
import { type Change, evidenceRemark } from "./change";
import { manyChanges } from "./groups";
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
    change.sameEvidence && `${evidenceRemark(change.rights)}. Check that it covers this recording`,
    renamedFrom !== undefined && renameAdvice(withParent(renamedFrom), withParent(urn)),
  ]);
  return notes.map((note) => `${name}: ${note}`);
}

/** What the deletions mean for the app. `going`: the voices that the update deletes. */
export function stoppedPrograms(changes: readonly Change[], going: ReadonlySet<string>): string[] {
  if (going.size >= manyChanges)
    return [`programs that use the names of the ${going.size} voices that are deleted stop working`];
  return changes.flatMap(({ kind, action, name, id = "", deletesFirst }) => {
    const isOld = kind === "voice" && (action === "replace" || action === "delete") && going.has(id);
    if (!isOld) return [];
    const when = deletesFirst ? "before its replacement is created" : "after the creates";
    return [`${name}: programs that use the name ${visible(id)} stop working when it is deleted (${when})`];
  });
}
