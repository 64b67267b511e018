import { environmentName } from "../../provider/src/rules/find-setting";
import { inputsIn } from "../../provider/src/rules/inputs";
import { settingMeanings } from "./settings";
import { outputsIn, type OutputsSchema } from "../../provider/src/rules/outputs";
import { type Member, membersOf, methodsOf } from "./members";
import type { ResourceDescription } from "./resources";
import { withExample } from "./program";
import { isOptional, passedType, valueType } from "./types";

/** The table of a resource's inputs, for its page. */
export function inputTable({ inputs, replaces }: ResourceDescription): string {
  const rows = inputsIn(inputs).map(({ name, schema, meaning }) => {
    const required = isOptional(schema) ? "" : "yes";
    const effect = meaning.change === "replaces" ? replaces.cell : "free";
    const change =
      meaning.changeDetail === undefined
        ? effect
        : meaning.change === "updates"
          ? meaning.changeDetail
          : `${effect}. ${meaning.changeDetail}`;
    const type = `\`${shownType(passedType(schema, meaning))}\``;
    return row([
      `\`${name}\``,
      type,
      required,
      withExample(meaning.description, meaning),
      meaning.default ?? "",
      change,
    ]);
  });
  return table(["input", "type", "required", "what it is", "default", "a change"], rows);
}

/** The table of the outputs of a resource, or of the fields of a result. */
export function outputTable(head: "output" | "field", outputs: OutputsSchema, names?: readonly string[]): string {
  const rows = outputsIn(outputs)
    .filter(({ name }) => names?.includes(name) ?? true)
    .map(({ name, schema, meaning }) => {
      const type = `${valueType(schema, meaning)}${isOptional(schema) ? " | undefined" : ""}`;
      return row([`\`${name}\``, `\`${shownType(type)}\``, meaning.description]);
    });
  return table([head, "type", "what it is"], rows);
}

/** The table of an interface's properties, as arguments of a class or a function. */
export function argumentTable(head: "input" | "argument", source: string, interfaceName: string): string {
  const rows = membersOf(source, interfaceName).map((member) => {
    const [name = "", type = "", description = ""] = cellsOf(member, `${interfaceName} in ${source}`);
    return row([name, type, member.optional ? "" : "yes", description]);
  });
  return table([head, "type", "required", "what it is"], rows);
}

/** The table of the properties that a class declares, as outputs. */
export function memberTable(source: string, name: string): string {
  const rows = membersOf(source, name).map((member) => row(cellsOf(member, `${name} in ${source}`)));
  return table(["output", "type", "what it is"], rows);
}

/** The table of the methods that an interface declares. */
export function methodTable(source: string, name: string): string {
  const rows = methodsOf(source, name).map((method) => {
    if (method.description === "") throw new Error(`${method.name} of ${name} in ${source} has no description.`);
    return row([`\`${method.name}\``, method.description]);
  });
  return table(["method", "what it does"], rows);
}

function cellsOf({ name, type, description }: Member, where: string): string[] {
  if (description === "") throw new Error(`${name} of ${where} has no description.`);
  return [`\`${name}\``, `\`${shownType(type)}\``, description];
}

/** A type for the reader of a page: without type parameters and helpers of editors. */
function shownType(type: string): string {
  return type
    .replace(" | (string & {})", "")
    .replace(/^Q$/, "Questions")
    .replace("<Q>", "")
    .replace("Trigger[]", "(string | number | boolean)[]")
    .replace(/^pulumi\.Output<(.*)>$/, "$1")
    .replace("Record<Key, ", "Record<string, ")
    .replace("Defaulted<D>", "CloudVoiceArgs")
    .replace("VoiceRightsArgs", "VoiceRights")
    .replace(/^D$/, "Partial<CloudVoiceArgs>")
    .replaceAll("pulumi.asset.", "");
}

/** The table of all settings. */
export function settingTable(): string {
  const rows = settingMeanings().map(([name, { description, default: fallback }]) =>
    row([`\`${environmentName(name)}\``, `\`cloudvoice:${name}\``, description, fallback]),
  );
  return table(["environment", "stack configuration", "what it is", "default"], rows);
}

function table(head: string[], rows: string[]): string {
  return [row(head), `|${"---|".repeat(head.length)}`, ...rows].join("\n");
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
