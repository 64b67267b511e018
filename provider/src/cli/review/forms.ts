import { extname } from "node:path";
import { InputError } from "../../errors";

export type Form = "text" | "markdown" | "html" | "json";
const formOfExtension: Record<string, Form> = { ".txt": "text", ".md": "markdown", ".html": "html", ".json": "json" };

/** The form that a file's extension sets. */
export function formOf(file: string): Form {
  const form = formOfExtension[extname(file).toLowerCase()];
  if (form === undefined)
    throw new InputError(
      `The review cannot be saved to ${file}: the extension sets the form. ` +
        `Use one of ${Object.keys(formOfExtension).join(", ")}.`,
    );
  return form;
}
