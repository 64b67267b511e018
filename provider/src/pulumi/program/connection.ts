import * as pulumi from "@pulumi/pulumi";
import { InputError } from "../../errors";
import type { ResourceKind } from "../../rules/resource-types";
import type { Settings } from "../../rules/settings";
import { EngineConnection } from "../shared/engine-alive";
import type { Connection } from "../shared/functions";
import { engineOfProgram, oncePerProgram } from "./sdk";
import { findInProgram } from "./settings";

/** The connection for the program's own calls: `getVoices` and `decisionCheck`. */
export const programConnection = oncePerProgram(async (): Promise<Connection> => {
  // Loaded by the first call: most programs make none.
  const [{ connect }, { readSettings }, { BilledRequests }] = await Promise.all([
    import("../../service/connect"),
    import("../../rules/settings"),
    import("../../service/billed-requests"),
  ]);
  const settings = readSettings(findInProgram);
  const engine = new EngineConnection(engineOfProgram());
  const billed = new BilledRequests({ assertEngineAlive: engine.assertAlive });
  return { service: connect(settings, { log, assertAddress: assertAddressWithoutState(settings) }), settings, billed };
});

/** Checks an address without a state: a function can't see where the key was sent before. */
const assertAddressWithoutState = (settings: Settings) => async (kind: ResourceKind) => {
  const { addressDoubts, addressUse } = await import("../../rules/addresses");
  const use = addressUse(settings, kind, process.env);
  const problem = use && addressDoubts(use, []).problem;
  if (problem) throw new InputError(problem);
};

/** Logs a line through the engine. With mocks there is none. */
function log(line: string): void {
  if (pulumi.runtime.hasEngine()) void pulumi.log.info(`cloudvoice: ${line}`);
}
