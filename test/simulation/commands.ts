import type { Kill } from "./process";
import type { ServiceOptions } from "./service";

/** What the simulated person does. A command whose subject does not exist does nothing, so any list is a valid run. */
export type Command =
  /** Declares a resource. */
  | { do: "add"; stack: number; name: string; content: number; first: boolean; options?: VoiceOptions }
  | { do: "add-image" | "add-decision"; stack: number; name: string; content: number }
  /** Takes a resource out of the program. */
  | { do: "take-out"; stack: number; name: string }
  /** Another recording, another trigger, or other options. */
  | { do: "change"; stack: number; name: string; content?: number; trigger?: number; options?: VoiceOptions }
  | { do: "rename"; stack: number; name: string; to: string; alias: boolean }
  /** Replaces a declaration by one that adopts its voice, or a voice of somebody else. `keep`: by mistake it stays. */
  | { do: "adopt"; stack: number; name: string; from: string | undefined; keep?: boolean }
  | { do: "delete-outside"; stack: number; name: string }
  /** Declares where an image is saved. */
  | { do: "save-to"; stack: number; name: string; folder: string | undefined }
  /** Removes the files of an image, or puts something else in their place. */
  | { do: "touch-files"; stack: number; name: string; edit: boolean }
  /** Declares a decision called `gate`, first of all, or changes what it expects. */
  | { do: "gate"; stack: number; isClosed: boolean }
  | { do: "wait-for-gate"; stack: number; name: string; waits: boolean }
  | { do: "wait"; seconds: number }
  /** Puts back the state that the stack had some operations ago. */
  | { do: "restore"; stack: number; operations: number }
  /** Renames the stack, and creates a new one with the old name and the same program. */
  | { do: "rename-stack"; stack: number; reuse: boolean }
  | { do: "move"; from: number; to: number; name: string; keepDeclared: boolean }
  | Run
  /** Two operations on two stacks at once. */
  | { do: "together"; one: Run; other: Run };

export interface VoiceOptions {
  file?: boolean;
  chosenName?: boolean;
  protect?: boolean;
  deleteBeforeReplace?: boolean;
  ignoreAudio?: boolean;
}

/** An operation of the engine. */
export interface Run {
  do: "up" | "refresh" | "destroy" | "preview";
  stack: number;
  seed: number;
  refresh?: boolean;
  faults?: boolean;
  kill?: Kill;
  targets?: string[];
  excludes?: string[];
  replaces?: string[];
  withoutCheckpoints?: boolean;
  clearPendingCreates?: boolean;
  parallel?: number;
  /** The ids of the questions to which the person says yes: an earlier operation has asked them. */
  accepts?: readonly string[];
}

/** A run of the simulation. */
export interface Scenario {
  seed: number;
  service: ServiceOptions;
  strangers: number;
  /** The two stacks have one name, in two organizations. */
  inTwoOrganizations?: boolean;
  /** The names of the resources that a second provider process serves. */
  second?: readonly string[];
  /** Images of one content have equal inputs. */
  areAlike?: boolean;
  /** The names of the resources with secret inputs. */
  secret?: readonly string[];
  commands: Command[];
}

/* The commands on the first stack, for runs that are written by hand. */

export const run = (options: Partial<Run> = {}): Run => ({ do: "up", stack: 0, seed: 0, ...options });
export const add = (name: string, options: Partial<Command & { do: "add" }> = {}): Command => ({
  ...{ do: "add", stack: 0, name, content: 0, first: false },
  ...options,
});
export const change = (name: string, options: Partial<Command & { do: "change" }>): Command => ({
  ...{ do: "change", stack: 0, name },
  ...options,
});
export const takeOut = (name: string): Command => ({ do: "take-out", stack: 0, name });
export const gate = (isClosed: boolean): Command => ({ do: "gate", stack: 0, isClosed });
