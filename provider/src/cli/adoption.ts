import { dayOf } from "../rules/time";
import type { ShownVoice } from "./listing";
import { jsonOf } from "./review/forms";

/** A TypeScript program that adopts these voices in one catalog. The user fills in the recordings. */
export function catalogProgram(rows: ShownVoice[]): string {
  const models = [...new Set(rows.map(({ targetModel }) => targetModel))];
  const [onlyModel] = models.length === 1 ? models : [];
  const entries = keysOf(rows).flatMap(({ key, row }) => [
    `    // ${dayOf(row.createdAt) === "" ? "created at an unknown time" : `created ${dayOf(row.createdAt)}`}`,
    `    ${/^[a-z_]\w*$/i.test(key) ? key : quote(key)}: {`,
    ...(onlyModel === undefined ? [`      targetModel: ${quote(row.targetModel)},`] : []),
    `      audio: ${quote(`audio/${key}.wav`)}, // the recording that the voice was made from`,
    `      adopt: ${quote(row.voice)},`,
    "    },",
  ]);
  return [
    'import { VoiceCatalog } from "pulumi-cloudvoice";',
    "",
    "// Each voice needs its recording: put the file at the path that `audio` names, or change the path. Add `language`",
    "// and `text` if the voice was made with them. Adopting is free. After the first `pulumi up`, `adopt` can be removed.",
    'const catalog = new VoiceCatalog("voices", {',
    ...(onlyModel === undefined ? [] : [`  defaults: { targetModel: ${quote(onlyModel)} },`]),
    "  voices: {",
    ...entries,
    "  },",
    "});",
    "",
    "export const manifest = catalog.manifest;",
    "",
  ].join("\n");
}

/** A file for `pulumi import --file`, which makes the voices resources of the plugin. */
export function importFile(rows: ShownVoice[]): string {
  const type = "cloudvoice:index:CloudVoice";
  const resources = keysOf(rows).map(({ key, row }) => ({ type, name: key, id: row.voice }));
  return jsonOf({ resources });
}

/** Gives each voice a key: its preferred name, numbered if several voices have the same one. */
function keysOf(rows: ShownVoice[]): { key: string; row: ShownVoice }[] {
  const used = new Set<string>();
  return rows.map((row) => {
    const name = row.name === "" ? "voice" : row.name;
    let key = name;
    for (let number = 2; used.has(key); number++) key = `${name}_${number}`;
    used.add(key);
    return { key, row };
  });
}

function quote(text: string): string {
  return jsonOf(text).trimEnd();
}
