import type { Forms } from "../../rules/forms";
import type { Path } from "./fields";

/** The path that the setting `forms` gives for a part of a response. */
export function pathOf(forms: Forms | undefined, part: keyof Forms): Path | undefined {
  return forms?.[part]?.split(".");
}
