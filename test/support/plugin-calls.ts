import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Provider } from "../../provider/src/plugin/provider";
import { secret, struct } from "./plugin-process";

export { secret, struct };

/** The requests of the engine to the plugin, in this process. */

const plain = (message: Struct | undefined) => (message?.toJavaScript() ?? {}) as Record<string, unknown>;
export const urnOfProvider = (name: string) => `urn:pulumi:dev::program::pulumi:providers:cloudvoice::${name}`;

export function newPlugin(print: (line: string) => void = () => undefined): Provider {
  return new Provider(print, undefined);
}

/** The engine configures the plugin with these arguments of a provider. */
export function configure(plugin: Provider, args: object, urn = urnOfProvider("mine")): Provider {
  plugin.configure(new rpc.ConfigureRequest().setUrn(urn).setArgs(struct(args)));
  return plugin;
}

/** Why the plugin refuses arguments of a provider. */
export function problemsOf(args: object, urn = urnOfProvider("mine")): string[] {
  const response = newPlugin().checkConfig(new rpc.CheckRequest().setUrn(urn).setNews(struct(args)));
  return response.getFailuresList().map((failure) => failure.getReason());
}

/** The calls on resources, whose URNs `urnOf` knows. */
export function callsOf({ active: { adapter } }: Provider, urnOf: (name: string) => string) {
  return {
    check: async (name: string, news: object, olds: object = {}) => {
      const request = new rpc.CheckRequest().setUrn(urnOf(name)).setNews(struct(news)).setOlds(struct(olds));
      const response = await adapter.check(request);
      const failures = response
        .getFailuresList()
        .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() }));
      return { inputs: plain(response.getInputs()), failures };
    },
    create: async (name: string, inputs: object, { preview = false, timeout = 0 } = {}) => {
      const request = new rpc.CreateRequest().setUrn(urnOf(name)).setProperties(struct(inputs));
      const response = await adapter.create(request.setPreview(preview).setTimeout(timeout));
      return { id: response.getId(), outs: plain(response.getProperties()) };
    },
    update: async (name: string, olds: object, news: object, timeout = 0) => {
      const request = new rpc.UpdateRequest().setUrn(urnOf(name)).setId("x").setTimeout(timeout);
      const response = await adapter.update(request.setOlds(struct(olds)).setNews(struct(news)));
      return plain(response.getProperties());
    },
    diff: (
      name: string,
      olds: { id?: string; inputs?: object; outs: object },
      news: object,
      ignoreChanges: string[] = [],
    ) => {
      const { id = "x", outs, inputs = outs } = olds;
      const request = new rpc.DiffRequest().setUrn(urnOf(name)).setId(id).setOlds(struct(outs)).setNews(struct(news));
      return adapter.diff(request.setOldInputs(struct(inputs)).setIgnorechangesList(ignoreChanges));
    },
    /** Without a state, as for `CloudVoice.get` and an import. */
    read: async (name: string, id: string, state?: object) => {
      const request = new rpc.ReadRequest().setUrn(urnOf(name)).setId(id);
      const response = await adapter.read(state === undefined ? request : request.setProperties(struct(state)));
      return { inputs: plain(response.getInputs()), outs: plain(response.getProperties()) };
    },
    delete: (name: string, id: string, state: object) =>
      adapter.delete(new rpc.DeleteRequest().setUrn(urnOf(name)).setId(id).setProperties(struct(state))),
  };
}
