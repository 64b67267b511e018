import { LocalNotes, noteKey } from "../../service/local-notes";

/*
 * Voices of resources that a targeted update excludes and that have a former name.
 *
 * `up --target <former name>` of a resource that was renamed by an alias neither checks nor diffs the resource, but
 * deletes an old copy that an interrupted replacement left under the former name. Both copies may hold one voice, and
 * no call to the provider shows that one of them stays. The program knows: for a resource that the engine leaves
 * unchanged it receives the former URN. So the program leaves a note for the provider process of the same engine.
 */
const notes = new LocalNotes("left-out");

/** Called in the program. `engine` is the engine's address. */
export function noteUntargeted(engine: string, voice: string): void {
  notes.remember(noteKey(engine, voice), voice);
}

/** Called in the provider process. */
export function wasUntargeted(engine: string | undefined, voice: string): boolean {
  if (engine === undefined) return false;
  const key = noteKey(engine, voice);
  const found = notes.recall(key, Date.now()) !== undefined;
  // Another engine may get the same address later.
  if (found) notes.forget(key);
  return found;
}
