import * as pulumi from "@pulumi/pulumi";
import { InputError } from "../../errors";
import { unknownNames } from "../../rules/nearest-name";
import type { ResourceKind } from "../../rules/resource-types";
import type { Settings } from "../../rules/settings";
import { EngineConnection } from "../shared/engine-alive";
import type { Connection } from "../shared/functions";
import { childrenOf, engineOfProgram, oncePerProgram } from "./sdk";
import { assertKeyIsSecret, assertSettingsAreKnown, findInProgram } from "./settings";

/* What the functions `getVoices` and `decisionCheck` share. */

const options = ["dependsOn", "parent", "provider", "version", "pluginDownloadURL", "async"] satisfies (
  keyof pulumi.InvokeOutputOptions | "async"
)[];

/**
 * Resolves when all resources in `dependsOn` exist. Unknown in a preview if one does not exist yet. Workaround: a
 * function call does not wait for `dependsOn` by itself.
 */
export function dependenciesReady(dependsOn: pulumi.InvokeOutputOptions["dependsOn"]): pulumi.Output<unknown> {
  return pulumi.output(dependsOn ?? []).apply((resources) => {
    const all = [resources].flat<(pulumi.Resource | pulumi.Resource[])[]>();
    return pulumi.all(all.map(ready));
  });
}

/** An output that resolves when the resource exists. A component exists when its children do. */
function ready(resource: pulumi.Resource): pulumi.Output<unknown> {
  if (pulumi.CustomResource.isInstance(resource)) return resource.id;
  return pulumi.all([resource.urn, ...childrenOf(resource).map(ready)]);
}

/** Whether mocks answer, so that nothing is sent. Settings are checked with mocks too. */
export function isMocked(): boolean {
  assertSettingsAreKnown();
  assertKeyIsSecret();
  return engineOfProgram() === undefined;
}

/**
 * Calls a function of the plugin. Only the plugin knows the settings of a declared provider. Workaround: the engine
 * returns nothing in a preview that does not know these settings yet.
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

/** The connection for the program's own calls: `getVoices` and `decisionCheck`. */
export const programConnection = oncePerProgram(async (): Promise<Connection> => {
  // Loaded by the first call: most programs make none.
  const [{ connect }, { readSettings }, { BilledRequests }] = await Promise.all([
    import("../../service/connect"),
    import("../../rules/settings"),
    import("../../service/billed-requests"),
  ]);
  const settings = readSettings(findInProgram);
  const engine = new EngineConnection(engineOfProgram());
  const billed = new BilledRequests({ assertEngineAlive: engine.assertAlive });
  return { service: connect(settings, { log, assertAddress: assertAddressWithoutState(settings) }), settings, billed };
});

/** Checks an address without a state: a function can't see where the key was sent before. */
const assertAddressWithoutState = (settings: Settings) => async (kind: ResourceKind) => {
  const { addressDoubts, addressUse } = await import("../../rules/addresses");
  const use = addressUse(settings, kind, process.env);
  const problem = use && addressDoubts(use, []).problem;
  if (problem) throw new InputError(problem);
};

/** Logs a line through the engine. With mocks there is none. */
function log(line: string): void {
  if (pulumi.runtime.hasEngine()) void pulumi.log.info(`cloudvoice: ${line}`);
}
