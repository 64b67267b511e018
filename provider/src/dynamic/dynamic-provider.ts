import type * as pulumi from "@pulumi/pulumi";
import { splitUnknown } from "../rules/values";
import { hiddenInputs, hiddenState, withoutHidden } from "../lifecycle/properties";
import { DynamicResources } from "./dynamic-resources";
import { printedOnce, resultError, withoutUndefined } from "./host";
import { type AnyLifecycle, checkForEngine, type Props } from "../lifecycle/lifecycle";

/** The stack's configuration, as the engine passes it to `configure`. */
export type Config = (key: string) => string | undefined;

/** Adapts a life cycle to the interface of Pulumi's dynamic providers. */
export function dynamicProvider(start: (config: Config) => AnyLifecycle): pulumi.dynamic.ResourceProvider {
  const resources = new DynamicResources();
  const { configure, ready } = configurable(start);

  /** A state as the engine saves it. `inputs`: the inputs of the same call. */
  const saved = (state: object, inputs: Props) => withoutUndefined({ ...hiddenState(resources.of(inputs)), ...state });

  return {
    configure,

    check: reporting(async (olds: Props, props: Props) => {
      const { values, unknown: unresolved } = splitUnknown(props);
      const { resource, news, unknown } = resources.check(olds, values, unresolved);
      const { inputs, failures } = await checkForEngine(await ready, news, withoutHidden(olds), resource, unknown);
      return {
        inputs: withoutUndefined({ ...inputs, ...hiddenInputs(values, resource) }),
        failures: failures.map((failure) => resources.failureOf(failure, values)),
      };
    }),

    diff: reporting(async (id: string, olds: Props, props: Props) => {
      const { values, unknown } = splitUnknown(props);
      const lifecycle = await ready;
      const [before, news] = [withoutHidden(olds), withoutHidden(values)];
      const { replaces, updates } = await lifecycle.diff(id, before, news, resources.of(values), unknown);
      // A resource from the plugin lacks the provider text, without which the engine could not delete it.
      return { changes: updates || replaces.length > 0 || olds.__provider === undefined, replaces };
    }),

    async create(inputs: Props) {
      try {
        const { id, state } = await (await ready).create(withoutHidden(inputs), resources.of(inputs));
        return { id, outs: saved(state, inputs) };
      } catch (error) {
        throw resultError(error, inputs, (state) => saved(state, inputs));
      }
    },

    async update(id: string, olds: Props, news: Props) {
      try {
        const state = await (await ready).update(id, withoutHidden(olds), withoutHidden(news), resources.of(news));
        return { outs: saved(state, news) };
      } catch (error) {
        throw resultError(error, news, (state) => saved(state, news));
      }
    },

    read: reporting(async (id: string, props: Props) => {
      const resource = resources.of(props);
      const state = await (await ready).read(id, withoutHidden(props), resource);
      // An empty id removes the resource from the state.
      return state ? { id, props: withoutUndefined({ ...hiddenState(resource), ...state }) } : { id: "" };
    }),

    delete: reporting(async (id: string, props: Props) => {
      await (await ready).delete(id, withoutHidden(props), resources.of(props));
    }),
  };
}

/**
 * `ready`: resolves to the life cycle once `configure` was called. Workaround: the SDK (@pulumi/pulumi 3.216 to 3.248)
 * stores a provider before its `configure` has ended, so a call can come before then.
 */
function configurable(start: (config: Config) => AnyLifecycle) {
  let configured: (config: Config) => void;
  const ready = new Promise<Config>((resolve) => (configured = resolve)).then(start);
  // Avoids an unhandled rejection. The calls that wait for `ready` report the error.
  ready.catch(() => undefined);
  const configure = ({ config }: pulumi.dynamic.ConfigureRequest) => {
    configured((key) => config.get(key));
    return Promise.resolve();
  };
  return { configure, ready };
}

function reporting<A extends unknown[], R>(method: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await method(...args);
    } catch (error) {
      throw printedOnce(error);
    }
  };
}
