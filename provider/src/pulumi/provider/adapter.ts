import type * as pulumi from "@pulumi/pulumi";
import { CloudVoiceError } from "../../errors";
import type { Failure } from "../../rules/fields";
import { splitUnknown } from "../../rules/unknown";

export type Props = Record<string, unknown>;

/** What a resource says about itself. Inputs come without the engine's own entries, and unknown ones apart. */
export interface Lifecycle {
  check(olds: Props, news: Props, unknown: ReadonlySet<string>): Promise<{ inputs: Props; failures: Failure[] }>;
  diff(
    id: string,
    olds: Props,
    news: Props,
    unknown: ReadonlySet<string>,
  ): Promise<{ replaces: string[]; updates: boolean }>;
  create(inputs: Props): Promise<{ id: string; outs: Props }>;
  update(id: string, olds: Props, news: Props): Promise<{ outs: Props }>;
  /** Undefined: gone. A read that could not look throws. */
  read(id: string, props: Props): Promise<Props | undefined>;
  delete(id: string, props: Props): Promise<void>;
}

/**
 * Thrown by create and update when the resource is there and not yet right: the engine saves it with what is known, and the next
 * update calls `update` for it.
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

/** Configuration as the engine hands it over, before the first call. */
export type Configure = (config: (key: string) => string | undefined) => void;

/**
 * The engine's side of a resource. The dynamic provider process keeps a provider before its `configure` has ended, so a first
 * call can overtake it: every method waits for it here.
 */
export function dynamicProvider(configure: Configure, lifecycle: Lifecycle): pulumi.dynamic.ResourceProvider {
  let configured: () => void;
  let refused: (error: unknown) => void;
  const ready = new Promise<void>((resolve, reject) => ([configured, refused] = [resolve, reject]));
  // Told by the method that waits for it.
  ready.catch(() => undefined);

  return {
    async configure({ config }) {
      try {
        configure((key) => config.get(key));
        configured();
      } catch (error) {
        refused(error);
      }
      return Promise.resolve();
    },
    check: quietly(async (olds: Props, news: Props) => {
      await ready;
      const { known, unknown } = splitUnknown(own(news));
      const { inputs, failures } = await lifecycle.check(own(olds), known, unknown);
      return { inputs: compact(inputs), failures };
    }),
    diff: quietly(async (id: string, olds: Props, news: Props) => {
      await ready;
      const { known, unknown } = splitUnknown(own(news));
      const { replaces, updates } = await lifecycle.diff(id, own(olds), known, unknown);
      return { changes: updates || replaces.length > 0, replaces };
    }),
    create: (inputs: Props) =>
      withPartialState(inputs, async () => {
        await ready;
        const { id, outs } = await lifecycle.create(own(inputs));
        return { id, outs: compact(outs) };
      }),
    update: (id: string, olds: Props, news: Props) =>
      withPartialState(news, async () => {
        await ready;
        const { outs } = await lifecycle.update(id, own(olds), own(news));
        return { outs: compact(outs) };
      }),
    read: quietly(async (id: string, props: Props) => {
      await ready;
      const found = await lifecycle.read(id, own(props));
      // An empty id takes the resource out of the state.
      return found ? { id, props: compact(found) } : { id: "" };
    }),
    delete: quietly(async (id: string, props: Props) => {
      await ready;
      await lifecycle.delete(id, own(props));
    }),
  };
}

/** Without the provider text, which is not ours to interpret. */
function own(props: Props): Props {
  const { __provider: _, ...rest } = props;
  return rest;
}

/** An `undefined` anywhere in a result ends the engine's conversion with a stack. */
function compact(props: Props): Props {
  return JSON.parse(JSON.stringify(props)) as Props;
}

/*
 * The host of dynamic providers prints `${error}: ${error.stack}` for what check, diff, read and delete throw, and then hands the
 * error to the engine, which shows its message at the resource. An expected failure is told once and without a stack: its first
 * print is reduced to a mark, which `console.error` drops.
 */
const alreadyTold = "\u200bcloudvoice\u200b";

function quietly<A extends unknown[], R>(method: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await method(...args);
    } catch (error) {
      if (!CloudVoiceError.is(error)) throw error;
      dropToldErrors();
      throw Object.assign(new Error(error.message), { stack: alreadyTold, toString: () => alreadyTold });
    }
  };
}

let dropping = false;
function dropToldErrors(): void {
  if (dropping) return;
  dropping = true;
  const print = console.error;
  console.error = (...args: unknown[]) => {
    if (args[0] !== `${alreadyTold}: ${alreadyTold}`) print(...args);
  };
}

/** The host shows only the message of what create and update throw, and adds no provider text to what an error saves. */
async function withPartialState<R>(inputs: Props, method: () => Promise<R>): Promise<R> {
  try {
    return await method();
  } catch (error) {
    if (error instanceof InitializationFailed) {
      const properties = { ...compact(error.outs), __provider: inputs.__provider };
      throw Object.assign(new Error(error.message), { id: error.id, properties, reasons: [error.message] });
    }
    if (CloudVoiceError.is(error) || !(error instanceof Error)) throw error;
    throw Object.assign(error, { message: `unexpected: ${error.stack ?? error.message}` });
  }
}
