import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../../rules/settings";
import type { Service } from "../../service/connect";
import { oncePerProgram } from "./sdk";
import { assertKeyIsSecret, findInProgram } from "./settings";

/** The connection for the program's own calls: `getVoices` and `decisionCheck`. */
export const programConnection = oncePerProgram(async (): Promise<{ service: Service; settings: Settings }> => {
  assertKeyIsSecret();
  // Loaded with the first call: most programs make none.
  const [{ connect }, { readSettings }] = await Promise.all([
    import("../../service/connect"),
    import("../../rules/settings"),
  ]);
  const settings = readSettings(findInProgram);
  return { service: connect(settings, { log }), settings };
});

/** With mocks there is no engine that would show the line. */
function log(line: string): void {
  if (pulumi.runtime.hasEngine()) void pulumi.log.info(`cloudvoice: ${line}`);
}
