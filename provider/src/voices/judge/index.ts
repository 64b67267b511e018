import { judgeCreate } from "./create";
import { judgeDelete } from "./delete";
import { judgeKeep } from "./keep";

/** The verdicts about a voice: pure functions of facts that the caller has gathered. */
export const judge = { create: judgeCreate, delete: judgeDelete, keep: judgeKeep };
