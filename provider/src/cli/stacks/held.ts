import type { StackState } from "./state";
import type { States } from "./states";
import { describeHolder, type VoiceHolder } from "./holder";

/** Describes the resource that holds a voice. Undefined if no resource holds it. */
export type HolderOf = (voice: string) => string | undefined;

/** Finds the holders of these voices in all stacks of the backend. Rejects if a state can't be read. */
export async function namesOfHolders(states: States, rows: readonly { voice: string }[]): Promise<HolderOf> {
  if (rows.length === 0) return () => undefined;
  const holders = (await states.everywhere()).flatMap(voicesIn);
  return (voice) => {
    const holder = holders.find((each) => each.voice === voice);
    return holder && describeHolder(holder);
  };
}

export async function unheld<T extends { voice: string }>(states: States, rows: T[]): Promise<T[]> {
  const holderOf = await namesOfHolders(states, rows);
  return rows.filter(({ voice }) => holderOf(voice) === undefined);
}

/** The voices of a state: held by its resources, or only read by its programs. */
export function voicesIn({ holders, readers }: StackState): VoiceHolder[] {
  return [...holders, ...readers];
}
