import { AuthenticationError } from "../../errors";
import type { AnyLifecycle } from "./lifecycle";

const hint =
  "Pulumi runs destroy, refresh and up --refresh with the configuration of the last update, so set CLOUDVOICE_API_KEY " +
  "for these if the key is new.";

/**
 * Explains a refused key where the engine passes the stored configuration: where it runs no program first. A check shows
 * that the program runs, whichever the kind of its resource: all kinds have one configuration.
 */
export function storedKeyHints(): (lifecycle: AnyLifecycle) => AnyLifecycle {
  let programRuns = false;
  return (lifecycle) => ({
    ...lifecycle,
    check: (...args) => {
      programRuns = true;
      return lifecycle.check(...args);
    },
    read: (...args) => explain(lifecycle.read(...args)),
    delete: (...args) => (programRuns ? lifecycle.delete(...args) : explain(lifecycle.delete(...args))),
  });
}

async function explain<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw withHint(error);
  }
}

/** Resources that wait for one list share its error, so the hint may be there already. */
function withHint(error: unknown): unknown {
  if (!(error instanceof AuthenticationError)) return error;
  const { advice = "" } = error;
  return advice.includes(hint) ? error : error.amend({ advice: `${advice} ${hint}`.trim() });
}
