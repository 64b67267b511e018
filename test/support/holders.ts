import type { Resource } from "../../provider/src/lifecycle/lifecycle";
import { nameInUrn, resourceLabel, stackOfUrn } from "../../provider/src/rules/resource-types";

/** The resource with this URN, as an adapter describes it. */
export const resource = (urn: string, protect = false): Resource => {
  const name = nameInUrn(urn);
  const options = { protect, deleteBeforeReplace: false, ignoresEverything: false, keepsRecording: false };
  const identity = { urn };
  return { name, label: resourceLabel(urn), stack: stackOfUrn(urn), identity, secrets: new Set(), options };
};
