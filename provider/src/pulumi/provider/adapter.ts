import type * as pulumi from "@pulumi/pulumi";
import { splitUnknown } from "../../rules/unknown";
import { callError, hasProviderText, resultError, withoutProviderText, withoutUndefined } from "./host";
import type { Lifecycle, Props } from "./lifecycle";

/** The stack's configuration, as the engine hands it to `configure`. */
export type Config = (key: string) => string | undefined;

/**
 * Adapts a life cycle to the interface of Pulumi's dynamic providers. `start` is called once, with the stack's
 * configuration.
 */
export function dynamicProvider(start: (config: Config) => Lifecycle): pulumi.dynamic.ResourceProvider {
  let configured: (lifecycle: Lifecycle) => void;
  let rejected: (error: unknown) => void;
  // The SDK (@pulumi/pulumi 3.216 to 3.248) stores a provider before its `configure` has ended, so a first call can
  // overtake it: every call waits for this promise.
  const ready = new Promise<Lifecycle>((resolve, reject) => ([configured, rejected] = [resolve, reject]));
  // The call that waits for it reports the error.
  ready.catch(() => undefined);

  return {
    configure({ config }) {
      try {
        configured(start((key) => config.get(key)));
      } catch (error) {
        rejected(error);
      }
      return Promise.resolve();
    },

    check: reporting(async (olds: Props, news: Props) => {
      const { known, unknown } = splitUnknown(withoutProviderText(news));
      const { inputs, failures } = await (await ready).check(withoutProviderText(olds), known, unknown);
      return { inputs: withoutUndefined(inputs), failures };
    }),

    diff: reporting(async (id: string, olds: Props, news: Props) => {
      const { known, unknown } = splitUnknown(withoutProviderText(news));
      const { replaces, updates } = await (await ready).diff(id, withoutProviderText(olds), known, unknown);
      // A resource that came from the plugin lacks the text, without which it could not be deleted.
      return { changes: updates || replaces.length > 0 || !hasProviderText(olds), replaces };
    }),

    async create(inputs: Props) {
      try {
        const { id, outs } = await (await ready).create(withoutProviderText(inputs));
        return { id, outs: withoutUndefined(outs) };
      } catch (error) {
        throw resultError(error, inputs);
      }
    },

    async update(id: string, olds: Props, news: Props) {
      try {
        const { outs } = await (await ready).update(id, withoutProviderText(olds), withoutProviderText(news));
        return { outs: withoutUndefined(outs) };
      } catch (error) {
        throw resultError(error, news);
      }
    },

    read: reporting(async (id: string, props: Props) => {
      const found = await (await ready).read(id, withoutProviderText(props));
      // An empty id removes the resource from the state.
      return found ? { id, props: withoutUndefined(found) } : { id: "" };
    }),

    delete: reporting(async (id: string, props: Props) => {
      await (await ready).delete(id, withoutProviderText(props));
    }),
  };
}

function reporting<A extends unknown[], R>(method: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await method(...args);
    } catch (error) {
      throw callError(error);
    }
  };
}
