import type { z } from "zod";
import { AuthenticationError, InputError, UnreachableError } from "../../errors";
import { outputsIn } from "../../rules/outputs";
import type { DeclaredResource } from "../../rules/resources";
import type { AnyLifecycle, Props } from "./lifecycle";

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

/**
 * Reports once why nothing answers at an address of this machine. Workaround: the engine prints the error of each
 * resource twice, and a stack may have a thousand. All resources of an operation share what this returns.
 */
export function outageReports(): (lifecycle: AnyLifecycle) => AnyLifecycle {
  const reported = new Set<string>();
  const amend = (error: unknown) => {
    if (!(error instanceof UnreachableError) || !error.nothingListens) return error;
    if (!reported.has(error.reason)) {
      reported.add(error.reason);
      return error;
    }
    return error.amend({ reason: "the service could not be reached either", advice: "Another error says why." });
  };
  return (lifecycle) => amending(lifecycle, amend);
}

const hint =
  "Pulumi runs destroy, refresh and up --refresh with the configuration of the last update, so set CLOUDVOICE_API_KEY " +
  "for these if the key is new.";

/**
 * Explains a refused key. Workaround: where the engine runs no program first, it passes the stored configuration. A
 * check shows that the program runs, whichever the kind of its resource: all kinds have one configuration.
 */
export function storedKeyHints(): (lifecycle: AnyLifecycle) => AnyLifecycle {
  let programRuns = false;
  const amend = (error: unknown, method: string) => {
    const isStored = method === "read" || (method === "delete" && !programRuns);
    if (!isStored || !(error instanceof AuthenticationError)) return error;
    const { advice = "" } = error;
    // Resources that wait for one list share its error, so the hint may be there already.
    return advice.includes(hint) ? error : error.amend({ advice: `${advice} ${hint}`.trim() });
  };
  return (lifecycle) => {
    const check: AnyLifecycle["check"] = (...args) => {
      programRuns = true;
      return lifecycle.check(...args);
    };
    return amending({ ...lifecycle, check }, amend);
  };
}

/**
 * Explains what fails because of a saved state that someone edited. States are not checked before they are used: those
 * of older versions may have other forms.
 */
export function damagedStates({ outputs, name }: DeclaredResource): (lifecycle: AnyLifecycle) => AnyLifecycle {
  const amend = (error: unknown, method: string, [, state]: unknown[]) => {
    if (!(error instanceof TypeError) || !["diff", "update", "read", "delete"].includes(method)) return error;
    const fits = (output: string, schema: z.ZodType) => schema.safeParse((state as Props)[output]).success;
    const damaged = outputsIn(outputs).flatMap((output) => (fits(output.name, output.schema) ? [] : [output.name]));
    return damaged.length === 0 ? error : damagedState(name, damaged, error);
  };
  return (lifecycle) => amending(lifecycle, amend);
}

export function damagedState(name: string, damaged: readonly string[], cause?: unknown): InputError {
  return new InputError(`the saved state of this ${name} is damaged in ${damaged.join(", ")}`, {
    advice: "Restore an older one with `pulumi stack import`, or remove the resource with `pulumi state delete`.",
    cause,
  });
}
