import { basename, join } from "node:path";

/** Files of this package that `init` writes. The build copies the action to `dist`, and tests run the sources. */
const isBuilt = basename(__dirname) === "dist";
export const templatesFolder = join(__dirname, isBuilt ? "../templates" : "../../templates");
export const actionFolder = join(__dirname, isBuilt ? "action" : "../../../actions/review");
