import type { z } from "zod";
import { AuthenticationError, InputError } from "../errors";
import { outputsIn } from "../rules/outputs";
import { resources } from "../rules/resources";
import type { Checks } from "./checks";
import type { AnyLifecycle, Layer, Props } from "./lifecycle";

function amending(
  lifecycle: AnyLifecycle,
  amend: (error: unknown, method: string, args: unknown[]) => unknown,
): AnyLifecycle {
  const methods = Object.entries(lifecycle) as [string, (...args: unknown[]) => Promise<unknown>][];
  const amended = methods.map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await method(...args);
      } catch (error) {
        throw amend(error, name, args);
      }
    },
  ]);
  return Object.fromEntries(amended) as AnyLifecycle;
}

const hint =
  "Pulumi runs destroy, refresh and up --refresh with the configuration of the last update, so if the " +
  "key is new, set CLOUDVOICE_API_KEY for these commands.";

/**
 * Adds an explanation to the error of a refused key. Workaround: if the engine does not run the program, it passes the
 * configuration of the last update, which may have an old key.
 */
export function storedKeyHints(checks: Pick<Checks, "programRuns">): Layer {
  const amend = (error: unknown, method: string) => {
    const isStored = method === "read" || (method === "delete" && !checks.programRuns);
    if (!isStored || !(error instanceof AuthenticationError)) return error;
    const { advice = "" } = error;
    // Resources that wait for the same list share its error, so the error may have the hint already.
    return advice.includes(hint) ? error : error.amend({ advice: `${advice} ${hint}`.trim() });
  };
  return (inner) => amending(inner, amend);
}

/**
 * Replaces a `TypeError` that is caused by a damaged state, e.g. after somebody edited the state. States are not
 * checked before use, because states of older versions may have other forms.
 */
export const damagedStates: Layer = (inner, kind) => {
  const { outputs, name } = resources[kind];
  return amending(inner, (error, method, [, state]) => {
    if (!(error instanceof TypeError) || !["diff", "update", "read", "delete"].includes(method)) return error;
    const fits = (output: string, schema: z.ZodType) => schema.safeParse((state as Props)[output]).success;
    const damaged = outputsIn(outputs).flatMap((output) => (fits(output.name, output.schema) ? [] : [output.name]));
    if (damaged.length === 0) return error;
    return new InputError(`the saved state of this ${name} is damaged in ${damaged.join(", ")}`, {
      advice: "Restore an older state with `pulumi stack import`, or remove the resource with `pulumi state delete`.",
      cause: error,
    });
  });
};
