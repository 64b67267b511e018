import { InputError } from "../errors";
import { type ResourceKind, typeIn } from "../rules/resource-types";
import { type DeclaredResource, derivedOutputs, resources } from "../rules/resources";
import type { AnyLifecycle } from "../lifecycle/lifecycle";
import { lifecyclesOf } from "../lifecycle/layers";
import type { Operation } from "../lifecycle/operation";

export interface PluginResource extends DeclaredResource {
  lifecycle: AnyLifecycle;
  derived: ReturnType<typeof derivedOutputs>;
}

export function pluginResources(operation: Operation): (urn: string) => PluginResource {
  const lifecycles = lifecyclesOf(operation);
  const kinds = Object.keys(resources) as ResourceKind[];
  const byType = new Map(
    kinds.map((kind) => {
      const resource = resources[kind];
      const type = `cloudvoice:index:${resource.name}`;
      return [type, { ...resource, lifecycle: lifecycles[kind], derived: derivedOutputs(resource) }];
    }),
  );
  return (urn) => {
    const type = typeIn(urn);
    const resource = byType.get(type);
    if (resource === undefined) throw new InputError(`there is no resource ${type}`);
    return resource;
  };
}
