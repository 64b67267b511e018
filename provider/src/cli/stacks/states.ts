import { oncePer, onceSuccessful } from "../../once";
import { InputError } from "../../errors";
import { nameInUrn } from "../../rules/resource-types";
import type { StackState, VoiceHolder } from "./state";

/** Reads states as the engine saved them. Stacks are given by their full names. Rejects if something can't be read. */
export interface StateReader {
  stack(name: string): Promise<StackState>;
  allStacks(): Promise<string[]>;
}

/** The saved states of a backend, for commands: a provider reads none. Each is read only when it is needed, and once. */
export class States {
  private readonly saved = oncePer((name: string) => onceSuccessful(() => this.reader.stack(name)));

  /** `named`: the full name of the command's stack. */
  constructor(
    private readonly reader: StateReader,
    private readonly named?: string,
  ) {}

  /** The state of the command's stack. */
  async stackState(): Promise<StackState> {
    if (this.named === undefined) throw new InputError("no stack is selected. Name one with --stack");
    return this.saved(this.named)();
  }

  /**
   * The states of all stacks of the backend, because a resource that moved to another project keeps its voice. There
   * may be hundreds.
   */
  readonly everywhere = onceSuccessful(async () => {
    const names = await this.reader.allStacks();
    // The list may lack the stack that was just created.
    const all = this.named === undefined ? names : [...new Set([this.named, ...names])];
    return Promise.all(all.map((name) => this.saved(name)()));
  });
}

/** Describes the resource that holds a voice. Undefined if no resource holds it. */
export type HolderOf = (voice: string) => string | undefined;

/** Finds the holders of these voices in all stacks of the backend. Rejects if a state can't be read. */
export async function namesOfHolders(states: States, rows: readonly { voice: string }[]): Promise<HolderOf> {
  if (rows.length === 0) return () => undefined;
  const holders = (await states.everywhere()).flatMap(voicesIn);
  return (voice) => {
    const holder = holders.find((each) => each.voice === voice);
    return holder && `${nameInUrn(holder.urn)} of the stack ${holder.stack}`;
  };
}

export async function withoutHolder<T extends { voice: string }>(states: States, rows: T[]): Promise<T[]> {
  const holderOf = await namesOfHolders(states, rows);
  return rows.filter(({ voice }) => holderOf(voice) === undefined);
}

/** The voices of a state: held by its resources, or only read by its programs. */
export function voicesIn({ holders, readers }: StackState): VoiceHolder[] {
  return [...holders, ...readers];
}
