import { readSettings, type Settings } from "../../rules/settings";
import { once } from "../../once";
import type { Service } from "../../service/connect";
import { checkSecretKey, findInProgram } from "./settings";

/** One connection for the program's own calls. */
export const programConnection = once(async (): Promise<{ service: Service; settings: Settings }> => {
  checkSecretKey();
  const settings = readSettings(findInProgram);
  // Loaded with the first call: most programs make none.
  const { connect } = await import("../../service/connect");
  return { service: connect(settings), settings };
});
