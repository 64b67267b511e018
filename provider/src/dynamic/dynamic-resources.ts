import type { CheckFailure } from "../rules/inputs";
import { visible } from "../rules/visible";
import { savedPath, unmarkedPath } from "./provider-text";
import { nameInLabel, type ResourceIdentity, resourceLabel, stackOfUrn } from "../rules/resource-types";
import { markedSecrets, withoutHidden, withRelativePaths } from "../lifecycle/properties";
import { noOptions, type Props, type Resource } from "../lifecycle/lifecycle";

/**
 * The resources of calls to a dynamic provider. Workaround: the engine does not pass the URN or the names of the secret
 * inputs, so the program passes them to `check` (program/register.ts). Later calls look them up by the label, which is
 * in the inputs and in the state. In a refresh, and in a destroy that does not run the program, the engine does not
 * call `check`, so only the label is known.
 */
export class DynamicResources {
  private readonly checked = new Map<string, Resource>();

  /** Splits the inputs of `check` into the facts about the resource and the inputs of the program's author. */
  check(olds: Props, news: Props, unresolved: ReadonlySet<string>) {
    const { identity: passedIdentity, secretInputs, ...otherProps } = news;
    const identity = passedIdentity as ResourceIdentity | undefined;
    // With `ignoreChanges: ["*"]` the engine removes inputs that the state lacks, so the identity is missing.
    const ignoresEverything = Object.keys(olds).length > 0 && identity === undefined && !unresolved.has("identity");
    const resource = this.described(otherProps, identity);
    const passedNames = Array.isArray(secretInputs) ? secretInputs.map(String) : [];
    const names = ignoresEverything ? Object.keys(otherProps) : passedNames;
    if (!unresolved.has("secretInputs")) resource.secrets = new Set([...names, ...markedSecrets(otherProps)]);
    resource.options = {
      deleteBeforeReplace: identity?.deleteBeforeReplace === true,
      ignoresEverything,
      keepsRecording: isRecordingPutBack(olds, otherProps, identity),
    };
    if (resource.label !== "") this.checked.set(resource.label, resource);
    const authorInputs = withoutHidden(otherProps);
    if (typeof authorInputs.audio === "string" && identity?.marksPaths === true && otherProps.audio !== olds.audio)
      authorInputs.audio = savedPath(authorInputs.audio);
    const unknown = new Set([...unresolved].filter((name) => !["identity", "secretInputs"].includes(name)));
    return { resource, news: withRelativePaths(authorInputs), unknown };
  }

  /**
   * A failure as the engine shows it. Workaround: the engine prints the value of the input that a failure names, and
   * with it the mark of a path. So the failure of a marked path names no input, and its reason has the unmarked path.
   */
  failureOf({ property, reason }: CheckFailure, { audio }: Props): CheckFailure {
    const path = property === "audio" && typeof audio === "string" ? unmarkedPath(audio) : undefined;
    return path === undefined ? { property, reason } : { property: "", reason: `audio "${visible(path)}" ${reason}` };
  }

  /** The resource of a call after `check`. Without a `check`, described by these properties alone. */
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
      name: nameInLabel(label),
      label,
      stack: identity ? stackOfUrn(identity.urn) : typeof props.stack === "string" ? props.stack : "",
      ...(identity && { identity }),
      secrets: undefined,
      options: noOptions,
    };
  }
}

/**
 * Whether the engine has put the old recording back because of `ignoreChanges`. If so, either the inputs have
 * `audioSha256`, which a program never passes, or the path lacks the mark that the program adds
 * (provider-text.ts).
 */
function isRecordingPutBack(olds: Props, otherProps: Props, identity: ResourceIdentity | undefined): boolean {
  if (olds.audio === undefined) return false;
  return otherProps.audioSha256 !== undefined || (identity?.marksPaths === true && otherProps.audio === olds.audio);
}
