import { InputError } from "../../errors";
import type { ResourceKind } from "../../rules/resource-types";
import { type DeclaredResource, resources } from "../../rules/resources";
import { decisionLifecycle } from "../provider/decision/lifecycle";
import { gateKeeper } from "../provider/gates";
import { imageLifecycle } from "../provider/image/lifecycle";
import type { AnyLifecycle } from "../provider/lifecycle";
import { damagedStates, outageReports } from "../provider/amended-errors";
import type { Operation } from "../provider/operation";
import { voiceLifecycle } from "../provider/voice/lifecycle";

/** What the adapter knows of a resource. */
export interface PluginResource extends DeclaredResource {
  lifecycle: AnyLifecycle;
}

/** Returns a function that finds a resource by its URN. */
export function pluginResources(operation: Operation): (urn: string) => PluginResource {
  const lifecycles: Record<ResourceKind, AnyLifecycle> = {
    voice: voiceLifecycle(operation),
    image: imageLifecycle(operation),
    decision: decisionLifecycle(operation),
  };
  const reportOutageOnce = outageReports();
  const keepGates = gateKeeper();
  const byType = new Map(
    (Object.keys(lifecycles) as ResourceKind[]).map((kind) => [
      `cloudvoice:index:${resources[kind].name}`,
      {
        ...resources[kind],
        lifecycle: damagedStates(resources[kind])(keepGates(kind, reportOutageOnce(lifecycles[kind]))),
      },
    ]),
  );
  return (urn) => {
    const type = urn.split("::")[2]?.split("$").at(-1) ?? "";
    const resource = byType.get(type);
    if (resource === undefined) throw new InputError(`there is no resource ${type}`);
    return resource;
  };
}
