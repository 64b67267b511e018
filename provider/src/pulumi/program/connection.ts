import * as pulumi from "@pulumi/pulumi";
import { EngineConnection } from "../shared/engine-alive";
import type { Connection } from "../shared/functions";
import { engineOfProgram, oncePerProgram } from "./sdk";
import { findInProgram } from "./settings";

/** The connection for the program's own calls: `getVoices` and `decisionCheck`. */
export const programConnection = oncePerProgram(async (): Promise<Connection> => {
  // Loaded with the first call: most programs make none.
  const [{ connect }, { readSettings }, { BilledRequests }] = await Promise.all([
    import("../../service/connect"),
    import("../../rules/settings"),
    import("../../service/billed-requests"),
  ]);
  const settings = readSettings(findInProgram);
  const engine = new EngineConnection(engineOfProgram());
  const billed = new BilledRequests({ assertEngineAlive: engine.assertAlive });
  return { service: connect(settings, { log }), settings, billed };
});

/** With mocks there is no engine that would show the line. */
function log(line: string): void {
  if (pulumi.runtime.hasEngine()) void pulumi.log.info(`cloudvoice: ${line}`);
}
