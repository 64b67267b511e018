import type { StackState } from "./state";
import type { States } from "./states";
import { describeHolder, type VoiceHolder } from "./holder";

/** Describes the resource that holds a voice. Undefined if no resource holds it. */
export type HolderOf = (voice: string) => string | undefined;

/**
 * Finds the holders of these voices in all stacks of the backend. Rejects if a state can't be read. Reads other
 * projects only if the stacks of this project lack a voice, because an organization may have hundreds of stacks.
 */
export async function namesOfHolders(states: States, rows: readonly { voice: string }[]): Promise<HolderOf> {
  if (rows.length === 0) return () => undefined;
  const project = namesIn(await states.project());
  if (rows.every(({ voice }) => project.has(voice))) return (voice) => project.get(voice);
  const everywhere = namesIn(await states.everywhere());
  return (voice) => project.get(voice) ?? everywhere.get(voice);
}

export async function unheld<T extends { voice: string }>(states: States, rows: T[]): Promise<T[]> {
  const holderOf = await namesOfHolders(states, rows);
  return rows.filter(({ voice }) => holderOf(voice) === undefined);
}

/** The voices of a state: held by its resources, or only read by its programs. */
export function voicesIn({ holders, readers }: StackState): VoiceHolder[] {
  return [...holders, ...readers];
}

function namesIn(states: StackState[]): Map<string, string> {
  const holders = states.flatMap(voicesIn).reverse();
  return new Map(holders.map((holder) => [holder.voice, describeHolder(holder)]));
}
