import { extname } from "node:path";
import { InputError } from "../../errors";
import { replaceFile } from "../../files";
import { withoutCommands } from "../../rules/visible";
import type { Limits } from "./limits";

export type OutputFormat = "text" | "markdown" | "html" | "json";
const formats: Record<string, OutputFormat> = { ".txt": "text", ".md": "markdown", ".html": "html", ".json": "json" };

export function formatOf(file: string): OutputFormat {
  const outputFormat = formats[extname(file).toLowerCase()];
  if (outputFormat === undefined)
    throw new InputError(
      `The review cannot be saved to ${file}: the extension sets the form. ` +
        `Use one of ${Object.keys(formats).join(", ")}.`,
    );
  return outputFormat;
}

export interface ReviewOptions {
  stack?: string;
  limit?: Limits;
  format: OutputFormat;
  all?: boolean;
  save: string[];
  drift?: boolean;
  exitCode?: boolean;
  /** False: the page is published, and must not contain recordings. */
  embedAudio?: boolean;
  recordings?: string;
}

/** Formats JSON, and escapes characters that a terminal or a CI runner would take as commands. */
export function jsonOf(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const json = JSON.stringify(value, null, 2).replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    character.split("").map(escaped).join(""),
  );
  return `${json.replace(/##(?=\w*\[)/g, "#\\u0023")}\n`;
}

/** A CI runner may print the file, so commands of runners are escaped. Only the owner may read people's recordings. */
export function saveReview(file: string, text: string, { hasRecordings = false } = {}): void {
  replaceFile(file, withoutCommands(text), hasRecordings && formatOf(file) === "html" ? 0o600 : 0o666);
}
