import { UnreachableError } from "../../errors";
import type { AnyLifecycle } from "./lifecycle";

/**
 * Reports once why nothing answers at an address of this machine: the engine prints the error of each resource twice, and
 * a stack may have a thousand. All resources of an operation share what this returns.
 */
export function outageReports(): (lifecycle: AnyLifecycle) => AnyLifecycle {
  const reported = new Set<string>();
  const once = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof UnreachableError) || !error.nothingListens) throw error;
      const { reason } = error;
      if (!reported.has(reason)) {
        reported.add(reason);
        throw error;
      }
      throw error.amend({ reason: "the service could not be reached either", advice: "Another error says why." });
    }
  };
  return (lifecycle) => ({
    ...lifecycle,
    check: (...args) => once(lifecycle.check(...args)),
    diff: (...args) => once(lifecycle.diff(...args)),
    create: (...args) => once(lifecycle.create(...args)),
    update: (...args) => once(lifecycle.update(...args)),
    read: (...args) => once(lifecycle.read(...args)),
    delete: (...args) => once(lifecycle.delete(...args)),
    import: (...args) => once(lifecycle.import(...args)),
  });
}
