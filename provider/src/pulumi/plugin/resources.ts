import { type InputsSchema } from "../../rules/inputs";
import type { ResourceKind } from "../../rules/resource-types";
import { addedOutputs, derivedOutputs, resources, updatableOutput } from "../../rules/resources";
import { decisionLifecycle } from "../provider/decision/lifecycle";
import { imageLifecycle } from "../provider/image/lifecycle";
import type { AnyLifecycle } from "../provider/lifecycle";
import { outageReports } from "../provider/outage-reports";
import type { Operation } from "../provider/operation";
import { voiceLifecycle } from "../provider/voice/lifecycle";

/** What the adapter knows of a resource. */
export interface PluginResource {
  lifecycle: AnyLifecycle;
  schema: InputsSchema;
  /** The outputs that are no inputs. */
  outputs: string[];
  /** The input that the state of an imported resource lacks until an update. */
  mainInput: string;
  /** The inputs that it may lack. The first declared value of each is accepted as the current one. */
  believed: readonly string[];
  /** The output that an update may change although no input differs. */
  unfinishedOutput: string | undefined;
  /** The outputs that are secret when one of these inputs is. */
  derived: { names: readonly string[]; from: readonly string[] };
}

/** The resources by their types. */
export function pluginResources(operation: Operation): Map<string, PluginResource> {
  const reportOutageOnce = outageReports();
  const lifecycles: Record<ResourceKind, AnyLifecycle> = {
    voice: voiceLifecycle(operation),
    image: imageLifecycle(operation),
    decision: decisionLifecycle(operation),
  };
  return new Map(
    (Object.keys(lifecycles) as ResourceKind[]).map((kind) => {
      const resource = resources[kind];
      return [
        `cloudvoice:index:${resource.name}`,
        {
          lifecycle: reportOutageOnce(lifecycles[kind]),
          schema: resource.inputs,
          outputs: addedOutputs(resource),
          mainInput: resource.requiredAfterImport,
          believed: resource.acceptedAfterImport,
          unfinishedOutput: updatableOutput(resource),
          derived: derivedOutputs(resource),
        },
      ];
    }),
  );
}
