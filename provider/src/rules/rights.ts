import * as z from "zod";
import { filledText, strictObject } from "./inputs";
import { namedType, output } from "./outputs";
import { dayMs } from "./time";
import { isRecord, signature } from "./values";

const text = () => filledText("must be a text", "must not be empty");
const dayProblem = "must be a day, as 2027-12-31";

export const rightsFields = namedType(
  { name: "VoiceRights", description: "The right to use a person's voice, and where it is recorded." },
  {
    holder: output(text(), "The person or company who gave the right."),
    evidence: output(text(), "Where the consent is kept: a URL or a file number."),
    until: output(
      z.string(dayProblem).check(z.iso.date(dayProblem)).optional(),
      "The last day of the right, in UTC, as `2027-12-31`. Absent: the right has no end.",
    ),
  },
);

/** Like `rightsFields`, but refuses unknown names. */
export const rights = strictObject(
  rightsFields.shape,
  "a field of rights",
  "must be an object: { holder, evidence, until? }",
);

export type Rights = z.infer<typeof rights>;

/** The days until the last day, in UTC: 0 on that day, and negative if the right has ended. */
export function daysLeft(until: string, nowMs: number): number {
  return (Date.parse(until) - Math.floor(nowMs / dayMs) * dayMs) / dayMs;
}

/** Why a voice must not be used. Undefined if it may be used. `isSecret`: the reason must not show a date. */
export function rightsProblem(
  declared: Pick<Rights, "until"> | undefined,
  nowMs: number,
  isSecret: boolean,
): string | undefined {
  if (declared === undefined)
    return (
      "has no rights: add rights: { holder, evidence, until } (who allowed the use, where the consent is kept, " +
      "its last day)"
    );
  const { until } = declared;
  if (until === undefined || daysLeft(until, nowMs) >= 0) return undefined;
  return (
    `has rights that ended${isSecret ? "" : ` on ${until}`}: ` +
    "take the voice out of the program, or record the new consent in rights"
  );
}

/** The text that Pulumi and this package print instead of a secret. */
export const secretText = "[secret]";

/**
 * Reads rights from a state or a preview. Undefined if there are none. A secret field is `[secret]`. In a state, a
 * secret is an object with the engine's mark.
 */
export function storedRights(value: unknown): Rights | undefined {
  if (value === undefined || value === null) return undefined;
  const whole = isSecret(value) ? secretText : value;
  const found: Rights = { holder: "", evidence: "" };
  for (const name of Object.keys(rightsFields.shape) as (keyof Rights)[]) {
    const field = isRecord(whole) ? whole[name] : whole;
    if (isSecret(field)) found[name] = secretText;
    else if (typeof field === "string" && isRecord(whole)) found[name] = field;
  }
  return found;
}

function isSecret(value: unknown): boolean {
  return value === secretText || (isRecord(value) && signature in value);
}
