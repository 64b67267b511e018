import { acceptedNames, type CheckFailure, type InputsSchema } from "../rules/inputs";
import { unknownValue } from "../rules/values";
import type { ResourceKind, ToldIdentity } from "../rules/resource-types";
import { visible } from "../rules/visible";

/** The inputs or the state of a resource, as the engine passes them. */
export type Props = Record<string, unknown>;

/** The resource of a call, without its properties. The adapters collect these facts. */
export interface Resource {
  name: string;
  /**
   * The name with a hash of the URN: unique in a stack, the same in every operation, and the same with the dynamic
   * provider and with the plugin. Empty for a state without a label.
   */
  label: string;
  /** The stack as questions name it: `project/stack`. Empty for a state that does not record it. */
  stack: string;
  /** Undefined with the dynamic provider in an operation that does not run the program, such as a refresh. */
  identity?: ToldIdentity & {
    urn: string;
    /** The URN in the state, if it differs from `urn`. */
    savedUrn?: string;
  };
  /**
   * The names of the secret inputs, and of the outputs that derive from them. Undefined if it is not known which inputs
   * are secret.
   */
  secrets: ReadonlySet<string> | undefined;
  options: {
    /** The old resource is deleted before the new one is created. */
    deleteBeforeReplace: boolean;
    /** `ignoreChanges: ["*"]`: the inputs are those of the state. */
    ignoresEverything: boolean;
    /** `ignoreChanges` names the recording: a change of the file at the recording's path is ignored too. */
    keepsRecording: boolean;
  };
  /** The option `customTimeouts`, which the engine passes to plugins only. */
  timeoutSeconds?: number;
}

export const noOptions: Resource["options"] = {
  deleteBeforeReplace: false,
  ignoresEverything: false,
  keepsRecording: false,
};

/**
 * Whether an input may be secret. If so, a message must not repeat texts of the service, because they may quote the
 * input.
 */
export function mayBeSecret({ secrets }: Pick<Resource, "secrets">): boolean {
  return secrets === undefined || secrets.size > 0;
}

/**
 * The behaviour of a resource at each call of the engine. A life cycle does not depend on the SDK. `unknown`: the names
 * of the inputs whose values are not known yet.
 */
export interface Lifecycle<Inputs extends object, State extends object> {
  /** `olds`: the saved inputs, before an update. Undefined before a create. */
  check(
    news: Partial<Inputs>,
    olds: Partial<Inputs> | undefined,
    resource: Resource,
    unknown: ReadonlySet<string>,
  ): Promise<{ inputs: Partial<Inputs>; failures: CheckFailure[] }>;
  diff(
    id: string,
    olds: State,
    news: Inputs,
    resource: Resource,
    unknown: ReadonlySet<string>,
  ): Promise<{ replaces: string[]; updates: boolean }>;
  create(inputs: Inputs, resource: Resource): Promise<{ id: string; state: State }>;
  update(id: string, olds: State, news: Inputs, resource: Resource): Promise<State>;
  /** The outputs that an update may change, as far as a preview knows them. All other outputs stay. */
  planUpdate?(olds: State, news: Inputs, resource: Resource): Promise<object>;
  /** Undefined means that the resource no longer exists. Throws if the resource could not be looked up. */
  read(id: string, state: State, resource: Resource): Promise<State | undefined>;
  delete(id: string, state: State, resource: Resource): Promise<void>;
  /**
   * The inputs and the state for a voice or a task that exists in the service. Undefined means that none has this id.
   */
  import(id: string): Promise<{ inputs: Partial<Inputs>; state: Partial<State> } | undefined>;
  /**
   * Called when the engine imports the resource that `import` found. Not called for `get` (`CloudVoice.get`), which
   * only reads the resource.
   */
  claimImport?(id: string, resource: Resource): Promise<void>;
}

/**
 * A life cycle as the adapters call it: the types of its inputs and its state are not compared. The engine passes only
 * properties of the right form: inputs that `check` has accepted, and states that the life cycle has returned.
 */
export type AnyLifecycle = Lifecycle<object, object>;

/**
 * Calls `check` in the engine's terms: no old inputs are `{}`, and the result has a placeholder for an unknown value.
 */
export async function checkForEngine<Inputs extends object>(
  lifecycle: Pick<Lifecycle<Inputs, never>, "check">,
  news: Props,
  olds: Props,
  resource: Resource,
  unknown: ReadonlySet<string>,
): Promise<{ inputs: Props; failures: CheckFailure[] }> {
  const before = Object.keys(olds).length === 0 ? undefined : (olds as Partial<Inputs>);
  const { inputs, failures } = await lifecycle.check(news as Partial<Inputs>, before, resource, unknown);
  const placeholders = Object.fromEntries([...unknown].map((name) => [name, unknownValue]));
  return { inputs: { ...placeholders, ...inputs }, failures };
}

/** Wraps a life cycle to add a behaviour that all kinds of resources share. */
export type Layer = (inner: AnyLifecycle, kind: ResourceKind) => AnyLifecycle;

/**
 * Thrown by `create` and `update` when the resource exists but is incomplete. The engine saves the resource with this
 * state, reports the failure, and calls `update` in the next run.
 */
export class InitializationFailed extends Error {
  constructor(
    readonly id: string,
    readonly state: object,
    reason: string,
  ) {
    super(visible(reason));
  }
}

/** The state after an update that changes inputs only. */
export function withOutputsOf<Inputs extends object, State extends Inputs>(
  schema: InputsSchema,
  olds: State,
  news: Inputs,
): State {
  const inputNames = acceptedNames(schema);
  const outputs = Object.entries(olds).filter(([name]) => !inputNames.has(name));
  // Everything that is not an input is an output, and the old state has all outputs.
  return { ...Object.fromEntries(outputs), ...news } as State;
}
