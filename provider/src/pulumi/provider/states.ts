import { once, onceSuccessful } from "../../once";
import type { ResourceIdentity } from "../shared/identity";

/**
 * A voice that a resource in a state holds. An old copy of a replaced resource holds its voice too, until it is
 * deleted.
 */
export interface VoiceHolder {
  stack: string;
  urn: string;
  /** The id of the voice. */
  voice: string;
  /** The fingerprint of the account that the state records for the voice. */
  account?: string | undefined;
  /** The engine marked this copy for deletion, because it was replaced. */
  isOld: boolean;
}

/** A create that the engine began and whose end it did not save, because the run was killed. */
export interface PendingCreate {
  urn: string;
  /** Undefined if the name was not known or is secret. */
  preferredName: string | undefined;
}

/** What the saved state of one stack says about voices. */
export interface StackState {
  stack: string;
  holders: VoiceHolder[];
  pendingCreates: PendingCreate[];
  /** The ids of all resources of this package that Pulumi manages. */
  ids: ReadonlySet<string>;
}

/** Reads the states of this project's stacks, as the engine last saved them. Rejects if they can't be read. */
export interface StateReader {
  /** The state of one stack. */
  stack(name: string): Promise<StackState>;
  /** The names of all stacks of the project. */
  stacks(): Promise<string[]>;
  /** The names of all stacks of the backend. Those of the project have the same names as in `stacks`. */
  allStacks(): Promise<string[]>;
}

/** The saved states, each read at most once in an operation and only when a decision needs it. */
export class States {
  private stack: string | undefined;

  constructor(private readonly reader: StateReader) {}

  /** The URN of any resource names its stack. A destroy and a refresh run no program, and then it stays unknown. */
  learnStack(identity: unknown): void {
    const { urn = "" } = (identity ?? {}) as Partial<ResourceIdentity>;
    this.stack ??= /^urn:pulumi:([^:]+)::/.exec(urn)?.[1];
  }

  /** The state of this operation's stack. */
  readonly own = onceSuccessful(async (): Promise<StackState> => {
    if (this.stack === undefined) throw new Error("the stack of this operation is not known");
    return this.reader.stack(this.stack);
  });

  /**
   * The creates that an interrupted run left unfinished. Must be asked for the first time before this operation
   * creates anything: the engine also saves a pending operation for each create that is under way now. Empty if the
   * state can't be read.
   */
  readonly interruptedCreates = once(() =>
    this.own().then(
      ({ pendingCreates }) => pendingCreates,
      () => [],
    ),
  );

  /** Whether the state has a resource with this id. False if the state can't be read. */
  async hasSaved(id: string): Promise<boolean> {
    const state = await this.own().catch(() => undefined);
    return state?.ids.has(id) === true;
  }

  /** Every voice that a stack of this project holds. */
  readonly holders = onceSuccessful(async (): Promise<VoiceHolder[]> => {
    // Some backends name a stack with its organization and project.
    const others = (await this.reader.stacks()).filter((name) => name.split("/").at(-1) !== this.stack);
    const own = this.stack === undefined ? [] : [await this.own()];
    const states = [...own, ...(await Promise.all(others.map((name) => this.reader.stack(name))))];
    return states.flatMap(({ holders }) => holders);
  });

  /**
   * Every voice that a stack of any project in this backend holds. A resource that moved to another project keeps its
   * voice. An organization may have hundreds of stacks, so ask only when a voice is about to be taken.
   */
  readonly allHolders = onceSuccessful(async (): Promise<VoiceHolder[]> => {
    const [here, stacks] = await Promise.all([this.reader.stacks(), this.reader.allStacks()]);
    const elsewhere = stacks.filter((name) => !here.includes(name));
    const states = await Promise.all(elsewhere.map((name) => this.reader.stack(name)));
    return [...(await this.holders()), ...states.flatMap(({ holders }) => holders)];
  });
}
