import { derivedOutputs, resources } from "../../rules/resources";
import { savedPath } from "../shared/declared-path";
import { resourceLabel } from "../../rules/resource-types";
import type { ResourceIdentity } from "../shared/identity";
import { withRelativePaths } from "../shared/program-path";
import type { Props, Resource } from "./lifecycle";

/**
 * Workaround: the engine does not pass a dynamic provider the resource of a call, nor which inputs are secret. So the
 * program passes both to `check`, in addition to the author's inputs (program/register.ts). The later calls of the
 * operation find them by the label, which is in the inputs and in the state. A refresh and a destroy call no `check`,
 * so they know only the label.
 */
export class DynamicResources {
  private readonly checked = new Map<string, Resource>();

  /** The resource that the program passed to `check`, and the inputs without it. */
  check(olds: Props, news: Props, unresolved: ReadonlySet<string>) {
    const { identity: given, secretInputs, ...passed } = news;
    const identity = given as ResourceIdentity | undefined;
    // With `ignoreChanges: ["*"]` the engine removes every input that the state does not have.
    const ignoresEverything = Object.keys(olds).length > 0 && identity === undefined && !unresolved.has("identity");
    const resource = this.described(passed, identity);
    const names = ignoresEverything ? Object.keys(passed) : Array.isArray(secretInputs) ? secretInputs.map(String) : [];
    if (!unresolved.has("secretInputs")) resource.secrets = new Set([...names, ...markedSecrets(passed)]);
    resource.options = {
      protect: identity?.protect === true,
      deleteBeforeReplace: identity?.deleteBeforeReplace === true,
      ignoresEverything,
      keepsRecording: isRecordingPutBack(olds, passed, identity),
    };
    if (resource.label !== "") this.checked.set(resource.label, resource);
    const known = withoutHidden(passed);
    if (typeof known.audio === "string" && identity?.marksPaths === true && passed.audio !== olds.audio)
      known.audio = savedPath(known.audio);
    const unknown = new Set([...unresolved].filter((name) => name !== "identity" && name !== "secretInputs"));
    return { resource, news: withRelativePaths(known), unknown };
  }

  /** The resource of a later call, by the label in its inputs or its state. */
  of(props: Props): Resource {
    const checked = this.checked.get(String(props.label));
    if (checked !== undefined) return checked;
    const secrets = markedSecrets(props);
    return { ...this.described(props, undefined), secrets: secrets.length > 0 ? new Set(secrets) : undefined };
  }

  private described(props: Props, identity: Resource["identity"]): Resource {
    const stored = typeof props.label === "string" ? props.label : "";
    const label = identity ? resourceLabel(identity.urn) : stored;
    return {
      name: label.replace(/-[0-9a-f]{16}$/, ""),
      label,
      ...(identity && { identity }),
      secrets: undefined,
      options: { protect: false, deleteBeforeReplace: false, ignoresEverything: false, keepsRecording: false },
    };
  }
}

/**
 * The outputs that a program may mark as secret by an empty input of the same name (program/secrets.ts): the engine
 * then keeps the output as a secret.
 */
const markableOutputs = Object.values(resources).flatMap((resource) => derivedOutputs(resource).names);

function markedSecrets(props: Props): string[] {
  return markableOutputs.filter((name) => props[name] === "");
}

/** The fields that the state of a dynamic resource has in addition to those of its life cycle. */
export function hiddenState({ label }: Resource): Props {
  return label === "" ? {} : { label }; // @persisted
}

/** The fields that its inputs have in addition to those of its life cycle. */
export function hiddenInputs(props: Props, resource: Resource): Props {
  return { ...hiddenState(resource), ...Object.fromEntries(markedSecrets(props).map((name) => [name, ""])) };
}

/** Removes these fields, and the provider text, which the program that runs dynamic providers adds to every call. */
export function withoutHidden(props: Props): Props {
  const { label: _, __provider: __, ...shown } = props;
  const marked = markedSecrets(props);
  if (marked.length === 0) return shown;
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !marked.includes(name)));
}

/**
 * Whether `ignoreChanges` names the recording. The program passes no `audioSha256`, and it marks the paths of
 * recordings (shared/declared-path.ts).
 */
function isRecordingPutBack(olds: Props, passed: Props, identity: ResourceIdentity | undefined): boolean {
  if (olds.audio === undefined) return false;
  return passed.audioSha256 !== undefined || (identity?.marksPaths === true && passed.audio === olds.audio);
}
