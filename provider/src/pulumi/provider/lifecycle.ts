import type { CheckFailure } from "../../rules/inputs";

/** The inputs or the state of a resource, as the engine passes them. */
export type Props = Record<string, unknown>;

/**
 * What a resource does at each call of the engine. It knows nothing of the SDK: inputs come without the engine's own
 * entries, and the names of inputs that are not known yet come separately.
 */
export interface Lifecycle {
  check(olds: Props, news: Props, unknown: ReadonlySet<string>): Promise<{ inputs: Props; failures: CheckFailure[] }>;
  diff(
    id: string,
    olds: Props,
    news: Props,
    unknown: ReadonlySet<string>,
  ): Promise<{ replaces: string[]; updates: boolean }>;
  create(inputs: Props, limits?: Limits): Promise<{ id: string; outs: Props }>;
  update(id: string, olds: Props, news: Props, limits?: Limits): Promise<{ outs: Props }>;
  /** Undefined means that the resource no longer exists. A read that could not look throws. */
  read(id: string, props: Props): Promise<Props | undefined>;
  delete(id: string, props: Props): Promise<void>;
  /** What is known of a resource that was made elsewhere. Undefined means that there is none with this id. */
  import(id: string): Promise<{ inputs: Props; outs: Props } | undefined>;
  /** The engine takes over what `import` found. It does not after the `get` of a resource, which only reads. */
  claimImport?(id: string): void;
}

/** The resource option `customTimeouts`, which a plugin gets from the engine. */
export interface Limits {
  timeoutSeconds?: number;
}

/**
 * Thrown by `create` and `update` when the resource exists and is incomplete. The engine saves it with these outputs,
 * reports the failure, and calls `update` in the next run.
 */
export class InitializationFailed extends Error {
  constructor(
    readonly id: string,
    readonly outs: Props,
    reason: string,
  ) {
    super(reason);
  }
}
