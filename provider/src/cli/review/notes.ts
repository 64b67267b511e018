import { attempt } from "../../attempt";
import type { Forms } from "../../rules/forms";
import { firstOf, textsOf } from "../../rules/first-of";
import { nameInUrn } from "../../rules/resource-types";
import { visible } from "../../rules/visible";
import { shellQuoted } from "../../shell-quoted";
import { type Change, evidenceRemark } from "./change";
import type { ReviewFacts } from "./facts";

export function notesOf(change: Change): string[] {
  const { urn, name, id = "", pictures = [], renamedFrom } = change;
  const leavesPictures = change.action !== "update" || change.fields.some(({ field }) => field === "saveTo");
  const notes = textsOf([
    leavesPictures &&
      pictures.length > 0 &&
      `saved pictures stay, but nothing refers to them after this update: ${pictures.map(visible).join(", ")}`,
    change.retained &&
      change.kind === "voice" &&
      `its voice ${visible(id)} stays in the account. To delete the voice after the update: ` +
        `\`npx --no-install pulumi-cloudvoice delete ${visible(shellQuoted(id))}\``,
    change.sameEvidence && `${evidenceRemark(change.rights)}. Check that it covers this recording`,
    renamedFrom !== undefined &&
      `to rename the resource at no cost, add aliases: [${aliasOf(renamedFrom, urn)}] to its options` +
        (urn.includes("VoiceCatalog$") ? ", with a transform of the catalog" : ""),
  ]);
  return notes.map((note) => `${name}: ${note}`);
}

const withOption = "lists such voices, and deletes them with `--delete`";
const byName =
  "lists such voices. `--delete` keeps them, because a pending operation alone is no proof. If nobody uses a voice, " +
  "`npx --no-install pulumi-cloudvoice delete` with its name deletes it";

/**
 * Names the voices that killed first updates of sets created, if no other stack holds them, and no change takes or
 * deletes them.
 */
export function orphansOfSetsNotes(
  { setOrphans = [], elsewhere }: Pick<ReviewFacts, "setOrphans" | "elsewhere">,
  changes: readonly Change[],
): string[] {
  const named = new Set(changes.flatMap(({ takes, id }) => [takes, id]));
  const orphans = setOrphans.filter(({ row: { voice } }) => !named.has(voice) && elsewhere?.has(voice) !== true);
  return [...new Set(orphans.map(({ evidence }) => evidence))].map((evidence) => {
    const alike = orphans.filter((each) => each.evidence === evidence);
    const advice = alike.every(({ isLogged }) => isLogged) ? withOption : byName;
    const voices = alike.map(({ row }) => row.voice);
    return `${visible(evidence)}: ${visible(firstOf(voices))}. \`npx --no-install pulumi-cloudvoice voices --orphans\` ${advice}`;
  });
}

function aliasOf(old: string, urn: string): string {
  const [from, to] = [old, urn].map((each) => visible(nameInUrn(each)));
  const isNameAlone = old.slice(0, -nameInUrn(old).length) === urn.slice(0, -nameInUrn(urn).length);
  return isNameAlone && from !== to ? `{ name: ${JSON.stringify(from)} }` : JSON.stringify(visible(old));
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
