import { attempt } from "../../attempt";
import type { Forms } from "../../rules/forms";
import { textsOf } from "../../rules/first-of";
import { visible } from "../../rules/visible";
import { shellQuoted } from "../../shell-quoted";
import { type Change, evidenceRemark } from "./change";
import type { ReviewFacts } from "./facts";
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

/** Compares the setting `forms` with its value in the last operation, as the update does. */
export function changedForms({ forms, last }: Pick<ReviewFacts, "forms" | "last">): string | undefined {
  if (last === undefined) return undefined;
  const [before, after] = [formsText(last.forms), formsText(JSON.stringify(forms ?? {}))];
  return before === after ? undefined : `from ${before} to ${after}`;
}

/** Formats a value of the setting `forms`. A text that is not JSON stays as it is. */
function formsText(text: string): string {
  const forms = attempt(() => Object.entries(JSON.parse(text || "{}") as Forms).sort());
  return visible(forms?.map((each) => each.join("=")).join(", ") ?? text) || "none";
}
