import * as pulumi from "@pulumi/pulumi";
import { unknownNames } from "../../rules/nearest-name";
import { childrenOf, engineOfProgram } from "./sdk";
import { assertKeyIsSecret, assertSettingsAreKnown } from "./settings";

const options = ["dependsOn", "parent", "provider", "version", "pluginDownloadURL", "async"] satisfies (
  keyof pulumi.InvokeOutputOptions | "async"
)[];

/** Workaround: a call does not wait for `dependsOn`. Resolves when all of it exists. Unknown in a preview before. */
export function dependenciesReady(dependsOn: pulumi.InvokeOutputOptions["dependsOn"]): pulumi.Output<unknown> {
  return pulumi.output(dependsOn ?? []).apply((resources) => {
    const all = [resources].flat<(pulumi.Resource | pulumi.Resource[])[]>();
    return pulumi.all(all.map(ready));
  });
}

/** A component exists when its children do. */
function ready(resource: pulumi.Resource): pulumi.Output<unknown> {
  if (pulumi.CustomResource.isInstance(resource)) return resource.id;
  return pulumi.all([resource.urn, ...childrenOf(resource).map(ready)]);
}

/** Whether mocks answer the calls of a test, so that nothing is sent. What the program sets is checked as ever. */
export function isMocked(): boolean {
  assertSettingsAreKnown();
  assertKeyIsSecret();
  return engineOfProgram() === undefined;
}

/**
 * Calls a function of the plugin, because only the plugin knows the settings of a provider that a program declares.
 * Workaround: in a preview that does not know these yet, the engine answers with nothing.
 */
export async function invokePlugin<T>(name: string, args: object, opts?: pulumi.InvokeOptions): Promise<T> {
  const result = (await pulumi.runtime.invoke(`cloudvoice:index:${name}`, { ...args }, opts)) as object;
  return (pulumi.runtime.isDryRun() && Object.keys(result).length === 0 ? pulumi.unknown : result) as T;
}

export async function known<T>(name: string, called: Promise<T>): Promise<T> {
  const result = await called;
  if (result !== pulumi.unknown) return result;
  throw new pulumi.RunError(`${name}: the provider's arguments are not known yet; use ${name}Output`);
}

export function assertKnownOptions(name: string, opts: pulumi.InvokeOutputOptions = {}): void {
  const problems = unknownNames(opts, options, `an option of ${name}`);
  if (problems.length > 0) throw new pulumi.RunError(`${name}: ${problems.join("; ")}`);
}
