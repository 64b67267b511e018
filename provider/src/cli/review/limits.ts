import { InvalidArgumentError } from "commander";
import { countForms, type MostBilled, numbersIn } from "../../rules/billed-limit";

/** What one update may bill and replace: `voices=12,images=3,decisions=5,cost=5,replaced=20%`. */
export interface Limits {
  voices?: number;
  images?: number;
  decisions?: number;
  cost?: number;
  /** In percent of the stack's voices. */
  replaced?: number;
  /** The value of `CLOUDVOICE_MAX_BILLED`. */
  mostBilled?: MostBilled;
}

const limitForms = { ...countForms, cost: /^\d{1,9}(\.\d{1,9})?$/, replaced: /^(\d{1,2}(\.\d{1,3})?|100)%$/ };

/** Parses the option `--limit`. */
export function limitsIn(text: string): Limits {
  const limits = numbersIn(text, limitForms);
  if (limits !== undefined) return limits;
  throw new InvalidArgumentError(
    `It must have at most one number for each of ${Object.keys(limitForms).join(", ")}, as ` +
      "voices=12,images=3,decisions=5,cost=5,replaced=20%.",
  );
}
