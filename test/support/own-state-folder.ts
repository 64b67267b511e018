import { temporaryFolder } from "./files";

// A test must neither read nor write the journal of the person who runs it.
process.env.XDG_STATE_HOME = temporaryFolder();
