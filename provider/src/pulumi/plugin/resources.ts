import { InputError } from "../../errors";
import type { ResourceKind } from "../../rules/resource-types";
import { type DeclaredResource, derivedOutputs, resources } from "../../rules/resources";
import type { AnyLifecycle } from "../provider/lifecycle";
import { lifecyclesOf } from "../provider/lifecycles";
import type { Operation } from "../provider/operation";

export interface PluginResource extends DeclaredResource {
  lifecycle: AnyLifecycle;
  derived: ReturnType<typeof derivedOutputs>;
}

export function pluginResources(operation: Operation): (urn: string) => PluginResource {
  const lifecycles = lifecyclesOf(operation);
  const kinds = Object.keys(lifecycles) as ResourceKind[];
  const byName = new Map(
    kinds.map((kind) => {
      const resource = resources[kind];
      return [resource.name, { ...resource, lifecycle: lifecycles[kind], derived: derivedOutputs(resource) }];
    }),
  );
  return (urn) => {
    const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
    const resource = byName.get(/^cloudvoice:index:(.*)$/.exec(type)?.[1] ?? "");
    if (resource === undefined) throw new InputError(`there is no resource ${type}`);
    return resource;
  };
}
