import type { Forms } from "../../rules/forms";
import { visible } from "../../rules/visible";
import type { ReviewFacts } from "./facts";

/** Compares the setting `forms` with that of the last operation, as the update does. */
export function changedForms({ forms, last }: Pick<ReviewFacts, "forms" | "last">): { changedForms?: string } {
  if (last === undefined) return {};
  const [before, after] = [formsText(last.forms), formsText(JSON.stringify(forms ?? {}))];
  return before === after ? {} : { changedForms: `from ${before} to ${after}` };
}

/** The forms in a configuration value, which is JSON unless somebody has written something else into it. */
function formsText(text: string): string {
  try {
    const forms = Object.entries(JSON.parse(text || "{}") as Forms).sort();
    return visible(forms.map((each) => each.join("=")).join(", ")) || "none";
  } catch {
    return visible(text);
  }
}
