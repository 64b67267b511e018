import { extname } from "node:path";
import { InputError } from "../errors";
import { dayOf } from "../rules/time";
import {
  type AdoptedVoice,
  type AdoptingProgram,
  goProgram,
  nodeProgram,
  pythonProgram,
  yamlProgram,
} from "./adopting";
import type { ShownVoice } from "./listing";
import { jsonOf } from "./review/forms";

export const programLanguages = ["typescript", "javascript", "python", "yaml", "go"] as const;
export type ProgramLanguage = (typeof programLanguages)[number];

const writers: Record<ProgramLanguage, (program: AdoptingProgram) => string[]> = {
  typescript: (program) => nodeProgram(program, { typed: true }),
  javascript: (program) => nodeProgram(program, { typed: false }),
  python: pythonProgram,
  yaml: yamlProgram,
  go: goProgram,
};

/** `stack`: the short name of the stack that adopts the voices. Other stacks create new ones. */
export interface AdoptionOptions {
  language: ProgramLanguage;
  set: boolean;
  stack: string | undefined;
}

/** A program that adopts these voices in one catalog or set. The user fills in the recordings. */
export function adoptingProgram(rows: ShownVoice[], { language, set, stack }: AdoptionOptions): string {
  const models = [...new Set(rows.map(({ targetModel }) => targetModel))];
  const [onlyModel] = models.length === 1 ? models : [];
  const voices = withKeys(rows).map(({ key, row }): AdoptedVoice => {
    const day = dayOf(row.createdAt);
    return {
      ...{ key, voice: row.voice, targetModel: onlyModel === undefined ? row.targetModel : undefined },
      created: day === "" ? "created at an unknown time" : `created ${day}`,
    };
  });
  const program = { kind: set ? "VoiceSet" : "VoiceCatalog", targetModel: onlyModel, voices, stack } as const;
  return `${writers[language](program).join("\n")}\n`;
}

/** A file for `pulumi import --file`, which makes the voices resources of the plugin. */
export function importFile(rows: ShownVoice[]): string {
  const type = "cloudvoice:index:CloudVoice";
  const resources = withKeys(rows).map(({ key, row }) => ({ type, name: key, id: row.voice }));
  return jsonOf({ resources });
}

/** The language of the project's program. Without a project: TypeScript. */
export function languageOf({ runtime, main }: { runtime: unknown; main: string }): ProgramLanguage {
  const name = typeof runtime === "object" ? (runtime as { name?: unknown } | null)?.name : runtime;
  if (name === undefined) return "typescript";
  if (name === "nodejs") return [".js", ".cjs"].includes(extname(main)) ? "javascript" : "typescript";
  const language = programLanguages.find((each) => each === name);
  if (language !== undefined) return language;
  throw new InputError("--adopt prints no program for the runtime of this project", {
    advice: `Name a language with --language: ${programLanguages.join(", ")}.`,
  });
}

/** Sorts the voices by name, and makes the name the key. Equal names get numbers, from the second oldest voice on. */
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
