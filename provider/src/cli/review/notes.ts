import { shellQuoted, textsOf, visible } from "../../rules/visible";
import type { Change } from "./change";
import { nameInUrn, typeIn, voiceCatalogType } from "../../rules/resource-types";
import type { Step } from "./preview";

/** `parents`: the parent of each resource. */
export function notesOf(change: Change, parents: ReadonlyMap<string, string | null | undefined> = new Map()): string[] {
  const { urn, name, id = "", pictures = [], renamedFrom } = change;
  const withParent = (each: string) => ({ urn: each, parent: parents.get(each) });
  const leavesPictures = change.action !== "update" || change.fields.some(({ field }) => field === "saveTo");
  const texts = textsOf([
    leavesPictures &&
      pictures.length > 0 &&
      `saved pictures stay, but nothing refers to them after this update: ${pictures.map(visible).join(", ")}`,
    change.retained &&
      change.kind === "voice" &&
      `its voice ${visible(id)} stays in the account. To delete the voice after the update: ` +
        `\`npx --no-install pulumi-cloudvoice delete ${shellQuoted(id)}\``,
    renamedFrom !== undefined && renameAdvice(withParent(renamedFrom), withParent(urn)),
  ]);
  return texts.map((text) => `${name}: ${text}`);
}

interface Named {
  urn: string;
  parent?: string | null | undefined;
}

/** What to write so that a new resource keeps what a removed resource with the same content has, at no cost. */
export function renameAdvice(removed: Named, added: Named): string {
  const [from, to] = [keyIn(removed), keyIn(added)];
  if (from !== undefined && to !== undefined && removed.parent === added.parent)
    return `to rename the entry at no cost, add renamedFrom: ${quoted(from)} (Python: renamed_from) to it. ${manifestChanges(from, to)}`;
  const place = to === undefined ? "" : ", with a transform of the catalog";
  return `to rename the resource at no cost, add aliases: [${aliasOf(removed.urn, added.urn)}] to its options${place}`;
}

/** A note for each entry of a catalog that the update renames. */
export function renamedEntries(steps: readonly Step[]): string[] {
  return steps.flatMap(({ urn, oldState, newState }) => {
    const from = keyIn({ urn: oldState?.urn ?? urn, parent: oldState?.parent });
    const to = keyIn({ urn, parent: newState?.parent });
    const isRenamed = oldState?.parent === newState?.parent && from !== undefined && to !== undefined && from !== to;
    return isRenamed ? [`${visible(nameInUrn(urn))}: the entry is renamed. ${manifestChanges(from, to)}`] : [];
  });
}

const quoted = (text: string) => JSON.stringify(visible(text));
const manifestChanges = (from: string, to: string) =>
  `Its key in the manifest changes from ${quoted(from)} to ${quoted(to)}`;

/** The key of an entry of a catalog. Undefined for any other resource. */
function keyIn({ urn, parent }: Named): string | undefined {
  const start = parent && typeIn(parent) === voiceCatalogType ? `${nameInUrn(parent)}-` : undefined;
  return start !== undefined && nameInUrn(urn).startsWith(start) ? nameInUrn(urn).slice(start.length) : undefined;
}

function aliasOf(old: string, urn: string): string {
  const [from, to] = [old, urn].map((each) => visible(nameInUrn(each)));
  const isNameAlone = old.slice(0, -nameInUrn(old).length) === urn.slice(0, -nameInUrn(urn).length);
  return isNameAlone && from !== to ? `{ name: ${JSON.stringify(from)} }` : JSON.stringify(visible(old));
}
