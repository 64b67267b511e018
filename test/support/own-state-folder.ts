import { temporaryFolder } from "./files";
import { checkAfterEachTest } from "./invariants";

checkAfterEachTest();

// A test must neither read nor write the journal of the person who runs it.
process.env.XDG_STATE_HOME = temporaryFolder();
