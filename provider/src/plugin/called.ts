import { InputError } from "../errors";
import { oncePer } from "../once";
import {
  dynamicUrn,
  identityIn,
  nameInUrn,
  type ResourceKind,
  resourceLabel,
  stackOfUrn,
  type ToldIdentity,
  typeIn,
} from "../rules/resource-types";
import { type AnyLifecycle, noOptions, type Props, type Resource } from "../lifecycle/lifecycle";
import { type DeclaredResource, derivedOutputs, resources } from "../rules/resources";
import { lifecyclesOf } from "../lifecycle/layers";
import type { Operation } from "../lifecycle/operation";

/** The resources of the engine's calls to a plugin. */
export class CalledResources {
  private readonly told = new Map<string, ToldIdentity>();

  /** Cached, because the engine makes several calls for each resource. */
  private readonly named = oncePer((urn: string) => {
    const dynamic = dynamicUrn(urn);
    return { name: nameInUrn(urn), label: resourceLabel(dynamic), stack: stackOfUrn(urn), dynamic };
  });

  /** The resource that a request concerns. `props`: the properties in the request. */
  of(request: { getUrn(): string; getId?(): string }, props: Props) {
    const urn = request.getUrn();
    const { name, label, stack, dynamic } = this.named(urn);
    if (request.getId?.() === "") throw new InputError(`the request about ${name} has no id`);
    // Only the inputs of `check` have `identity`, so keep it for later calls.
    const told = identityIn(props.identity);
    if (told !== undefined) this.told.set(urn, told);
    const { organization, gates, deleteBeforeReplace = false } = this.told.get(urn) ?? {};
    return {
      name,
      label,
      stack,
      identity: {
        ...(organization !== undefined && { organization }),
        ...(Array.isArray(gates) && { gates: gates.map(String) }),
        urn: dynamic,
        savedUrn: urn,
      },
      // The engine itself applies `ignoreChanges`. The program passes the other options (rules/resource-types.ts).
      options: { ...noOptions, deleteBeforeReplace },
    } satisfies Omit<Resource, "secrets">;
  }
}

type CreateResult = Awaited<ReturnType<AnyLifecycle["create"]>>;

/**
 * Creates under way. After a broken connection, the engine repeats the call of `create`. Both calls share one create,
 * which is paid for once.
 */
export class RunningCreates {
  private readonly running = new Map<string, Promise<CreateResult>>();

  share(urn: string, inputs: Props, create: () => Promise<CreateResult>): Promise<CreateResult> {
    const key = JSON.stringify([urn, inputs]);
    const result = this.running.get(key) ?? create().finally(() => this.running.delete(key));
    this.running.set(key, result);
    return result;
  }
}

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
