import { environmentName } from "../../provider/src/rules/find-setting";
import { inputsIn } from "../../provider/src/rules/inputs";
import { settingMeanings } from "../../provider/src/rules/settings";
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
    return row([`\`${name}\``, required, meaning.description, meaning.default ?? "", change]);
  });
  return table(["input", "required", "what it is", "default", "a change"], rows);
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
