import { readSettings, type Settings } from "../decide/settings";
import { lazily } from "../lazily";
import type { Service } from "../service/connect";
import { checkSecretKey, findInProgram } from "./program-settings";

/** One connection for the program's own calls. */
export const programService = lazily(async (): Promise<{ service: Service; settings: Settings }> => {
  checkSecretKey();
  const settings = readSettings(findInProgram);
  // Loaded with the first call: most programs make none.
  const { connect } = await import("../service/connect");
  return { service: connect(settings), settings };
});
