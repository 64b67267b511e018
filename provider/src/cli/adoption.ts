import { extname } from "node:path";
import mustache from "mustache";
import { InputError } from "../errors";
import { hasGeneratedForm, nameOfVoice } from "../rules/naming";
import { dayOf } from "../rules/time";
import { adoptingPrograms } from "./adopting";
import type { ShownVoice } from "./listing";
import { jsonOf } from "./review/forms";

export type ProgramLanguage = keyof typeof adoptingPrograms;
export const programLanguages = Object.keys(adoptingPrograms) as ProgramLanguage[];

/** `stack`: the short name of the stack that adopts the voices. Other stacks create new voices. */
export interface AdoptionOptions {
  language: ProgramLanguage;
  stack: string | undefined;
}

const introduction = [
  "Each voice needs its recording: put the file at the path that `audio` names, or change the path. If a voice was",
  "made with `language` or `text`, add them before the first `pulumi up`: added later, they cost a new voice. Adopting",
  "is free. After the first `pulumi up`, you can remove `adopt`. The next update records that, free of charge.",
];
const inOtherStacks = "Another stack creates a new voice for each entry, which is billed.";

/** Returns a program that adopts these voices in one catalog. The user adds the recordings. */
export function adoptingProgram(rows: ShownVoice[], { language, stack: only }: AdoptionOptions): string {
  // In Pulumi YAML, `${` begins an expression, and `$${` is the escaped form.
  const quote = (text: string) =>
    language === "yaml" ? jsonOf(text).trimEnd().replaceAll("${", "$${") : jsonOf(text).trimEnd();
  const isOneModel = new Set(rows.map(({ targetModel }) => targetModel)).size === 1;
  const stack = only === undefined ? undefined : quote(only);
  const voices = withKeys(rows).map(({ key, row }) => {
    const [day, voice] = [dayOf(row.createdAt), quote(row.voice)];
    return {
      ...{ key: quote(key), name: /^[a-z_]\w*$/i.test(key) ? key : quote(key), voice },
      ...(!isOneModel && { ownModel: quote(row.targetModel) }),
      audio: quote(`audio/${key}.wav`),
      adopt: stack === undefined ? voice : `existing(${voice})`,
      created: (day === "" ? "created at an unknown time" : `created ${day}`) + (isGenerated(row) ? byStack : ""),
    };
  });
  const view = {
    ...{ voices, stack, inOtherStacks, introduction },
    onlyIn: `Only the stack ${stack} adopts the existing voices. ${inOtherStacks}`,
    model: isOneModel ? quote(rows[0]?.targetModel ?? "") : undefined,
    recording: "the recording that the voice was made from",
  };
  return `${mustache.render(adoptingPrograms[language], view, undefined, { escape: String }).trimStart()}\n`;
}

const isGenerated = ({ voice }: ShownVoice) => hasGeneratedForm(nameOfVoice(voice));
const byStack = ", by a stack of this package, which deletes it when it replaces it: adopt asks about it";

/** Returns a file for `pulumi import --file`, which makes each voice a resource of the plugin. */
export function importFile(rows: ShownVoice[]): string {
  const type = "cloudvoice:index:CloudVoice";
  const resources = withKeys(rows).map(({ key, row }) => ({ type, name: key, id: row.voice }));
  return jsonOf({ resources });
}

/** The language of the project's program. Without a project: TypeScript. */
export function languageOf({ runtime, main }: { runtime?: unknown; main: string }): ProgramLanguage {
  const name = typeof runtime === "object" ? (runtime as { name?: unknown } | null)?.name : runtime;
  if (name === undefined) return "typescript";
  if (name === "nodejs") return [".js", ".cjs"].includes(extname(main)) ? "javascript" : "typescript";
  const language = programLanguages.find((each) => each === name);
  if (language !== undefined) return language;
  throw new InputError("--adopt can't print a program for the runtime of this project", {
    advice: `Name a language with --language: ${programLanguages.join(", ")}.`,
  });
}

/**
 * Sorts the voices by name, and gives each voice its name as key. If several voices have one name, the keys of all but
 * the oldest voice get a number.
 */
function withKeys(rows: ShownVoice[]): { key: string; row: ShownVoice }[] {
  const used = new Set<string>();
  const named = rows.map((row) => ({ name: row.name === "" ? "voice" : row.name, row }));
  named.sort((one, other) => one.name.localeCompare(other.name, "en", { numeric: true }));
  return named.map(({ name, row }) => {
    let key = name;
    for (let number = 2; used.has(key); number++) key = `${name}_${number}`;
    used.add(key);
    return { key, row };
  });
}
