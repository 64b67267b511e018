import { judgeCreate } from "./create";
import { judgeDelete } from "./delete";
import { judgeKeep } from "./keep";

/** What becomes of a voice, by what is known of it. These functions ask nobody and change nothing. */
export const judge = { create: judgeCreate, delete: judgeDelete, keep: judgeKeep };
