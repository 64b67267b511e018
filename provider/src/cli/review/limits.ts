import { InvalidArgumentError } from "commander";
import type { MostBilled } from "../../rules/billed-limit";

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

const patterns = { voices: /^\d{1,9}$/, images: /^\d{1,9}$/, decisions: /^\d{1,9}$/, cost: /^\d{1,9}(\.\d{1,9})?$/ };
const limitPatterns: Record<string, RegExp> = { ...patterns, replaced: /^(\d{1,2}(\.\d{1,3})?|100)%$/ };

/** Parses the option `--limit`. */
export function limitsIn(text: string): Limits {
  const parts = text.split(",").map((part) => part.trim().split("="));
  const names = parts.map(([name]) => name);
  const isRight = ([name = "", value = "", ...more]: string[]) =>
    more.length === 0 && Object.hasOwn(limitPatterns, name) && limitPatterns[name]?.test(value) === true;
  if (!parts.every(isRight) || new Set(names).size < names.length)
    throw new InvalidArgumentError(
      `It must have at most one number for each of ${Object.keys(limitPatterns).join(", ")}, as ` +
        "voices=12,images=3,decisions=5,cost=5,replaced=20%.",
    );
  return Object.fromEntries(parts.map(([name = "", value = ""]) => [name, parseFloat(value)]));
}
