import { environmentName } from "../../provider/src/rules/find-setting";
import { inputsIn } from "../../provider/src/rules/inputs";
import { settingMeanings } from "../../provider/src/rules/settings";
import { inputValueType } from "./arguments";
import { outputsOf } from "./outputs";
import type { ResourceDescription } from "./resources";

/** The table of a resource's inputs, for its page. */
export function inputTable({ inputs, replaces }: ResourceDescription): string {
  const rows = inputsIn(inputs).map(({ name, schema, meaning }) => {
    const required = schema.safeParse(undefined).success ? "" : "yes";
    const effect = meaning.change === "replaces" ? replaces.cell : "free";
    const change =
      meaning.changeNote === undefined
        ? effect
        : meaning.change === "updates"
          ? meaning.changeNote
          : `${effect}. ${meaning.changeNote}`;
    const type = `\`${shownType(inputValueType(schema, meaning))}\``;
    return row([`\`${name}\``, type, required, meaning.description, meaning.default ?? "", change]);
  });
  return table(["input", "type", "required", "what it is", "default", "a change"], rows);
}

/** The table of the outputs that a resource has besides its inputs. */
export function outputTable({ name: className, source, inputs }: ResourceDescription): string {
  const names = new Set(inputsIn(inputs).map(({ name }) => name));
  const rows = outputsOf(source, className)
    .filter(({ name }) => !names.has(name))
    .map(({ name, type, description }) => {
      if (description === "") throw new Error(`${className}.${name} has no description in ${source}.`);
      return row([`\`${name}\``, `\`${shownType(type)}\``, description]);
    });
  return table(["output", "type", "what it is"], rows);
}

/** A type as a reader of the page needs it: without type parameters, and without what only helps an editor. */
function shownType(type: string): string {
  return type
    .replace(" | (string & {})", "")
    .replace(/^Q$/, "Questions")
    .replace("<Q>", "")
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
