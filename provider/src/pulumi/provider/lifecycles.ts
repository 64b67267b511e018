import type { ResourceKind } from "../../rules/resource-types";
import { resources } from "../../rules/resources";
import { damagedStates, outageReports } from "./amended-errors";
import { decisionLifecycle } from "./decision/lifecycle";
import { gateKeeper } from "./gates";
import { imageLifecycle } from "./image/lifecycle";
import { refuseLateChanges } from "./late-changes";
import type { AnyLifecycle } from "./lifecycle";
import type { Operation } from "./operation";
import { voiceLifecycle } from "./voice/lifecycle";
import { type SetLifecycle, voiceSetLifecycle } from "./voice-set/lifecycle";

/** The life cycles of an operation. `explain` adds to their errors what one kind of provider knows. */
export function lifecyclesOf(
  operation: Operation,
  explain = (lifecycle: AnyLifecycle, _kind: ResourceKind) => lifecycle,
): Record<ResourceKind, AnyLifecycle> & { voiceSet: SetLifecycle } {
  const [reportOutageOnce, keepGates] = [outageReports(), gateKeeper()];
  const { underway } = operation;
  const counted = (lifecycle: AnyLifecycle): AnyLifecycle => ({
    ...lifecycle,
    create: (...args) => underway.run(() => lifecycle.create(...args)),
    update: (...args) => underway.run(() => lifecycle.update(...args)),
    delete: (...args) => underway.run(() => lifecycle.delete(...args)),
  });
  const complete = (kind: ResourceKind, given: AnyLifecycle) => {
    const lifecycle = operation.addresses.kept(kind, counted(given));
    return damagedStates(resources[kind])(
      refuseLateChanges(resources[kind])(keepGates(kind, reportOutageOnce(explain(lifecycle, kind)))),
    );
  };
  return {
    voice: complete("voice", voiceLifecycle(operation)),
    image: complete("image", imageLifecycle(operation)),
    decision: complete("decision", decisionLifecycle(operation)),
    // It refuses late changes itself, and asks the life cycle of a voice about each of its entries.
    voiceSet: keepGates("voice", reportOutageOnce(counted(voiceSetLifecycle(operation)))) as SetLifecycle,
  };
}
