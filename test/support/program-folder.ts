import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./files";

/** Runs each test of the file in an empty program folder with its own XDG state folder. Returns the folder of both. */
export function inProgramFolder(): () => string {
  const before = { folder: process.cwd(), state: process.env.XDG_STATE_HOME };
  let folder = "";
  beforeEach(() => {
    folder = temporaryFolder();
    process.env.XDG_STATE_HOME = join(folder, "state");
    mkdirSync(join(folder, "program"));
    process.chdir(join(folder, "program"));
  });
  afterEach(() => {
    process.chdir(before.folder);
    if (before.state === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = before.state;
  });
  return () => folder;
}
