/** A resource in the state of a stack that has a voice, also an old copy that waits for its delete. */
export interface VoiceHolder {
  stack: string;
  urn: string;
  /** The id of the voice. */
  voice: string;
  /** The engine marked this copy for deletion: it was replaced. */
  isOld: boolean;
  /** ISO 8601, when the engine created the resource. Undefined in old states. */
  created: string | undefined;
}

/** A create that the engine began and whose end it did not record: the run was killed. */
export interface PendingCreate {
  urn: string;
}

/** What the state of one stack says about voices. */
export interface StackState {
  stack: string;
  holders: VoiceHolder[];
  pendingCreates: PendingCreate[];
}

/** Reads the states of this project's stacks, as the engine last saved them. Rejects if they can't be read. */
export interface StateReader {
  /** The state of one stack. */
  stack(name: string): Promise<StackState>;
  /** The names of all stacks of the project. */
  stacks(): Promise<string[]>;
}
