import * as pulumi from "@pulumi/pulumi";
import { unknownNames } from "../rules/nearest-name";
import { EngineConnection } from "../engine-alive";
import type { Connection } from "../service/functions";
import { childrenOf, engineOfProgram, oncePerProgram } from "./sdk";
import { assertKeyIsSecret, assertSettingsAreKnown, findInProgram } from "./settings";

const options = ["dependsOn", "parent", "provider", "version", "pluginDownloadURL", "async"] satisfies (
  keyof pulumi.InvokeOutputOptions | "async"
)[];

/**
 * An output that is unknown until all resources in `dependsOn` exist. Workaround: the SDK does not let a function call
 * wait for `dependsOn`.
 */
export function dependenciesReady(dependsOn: pulumi.InvokeOutputOptions["dependsOn"]): pulumi.Output<unknown> {
  return pulumi.output(dependsOn ?? []).apply((resources) => {
    const all = [resources].flat<(pulumi.Resource | pulumi.Resource[])[]>();
    return pulumi.all(all.map(ready));
  });
}

/** A component exists when its children exist. */
function ready(resource: pulumi.Resource): pulumi.Output<unknown> {
  if (pulumi.CustomResource.isInstance(resource)) return resource.id;
  return pulumi.all([resource.urn, ...childrenOf(resource).map(ready)]);
}

/**
 * Whether the program runs with mocks, so that nothing is sent to the service. Throws for wrong settings, also with
 * mocks.
 */
export function isMocked(): boolean {
  assertSettingsAreKnown();
  assertKeyIsSecret();
  return engineOfProgram() === undefined;
}

/**
 * Calls a function of the plugin. Only the plugin knows the settings of a provider that the program declares.
 * Workaround: in a preview that does not know these settings yet, the engine returns an empty object, which is replaced
 * by an unknown value.
 */
export async function invokePlugin<T>(name: string, args: object, opts?: pulumi.InvokeOptions): Promise<T> {
  const result = (await pulumi.runtime.invoke(`cloudvoice:index:${name}`, { ...args }, opts)) as object;
  return (pulumi.runtime.isDryRun() && Object.keys(result).length === 0 ? pulumi.unknown : result) as T;
}

export async function valueOf<T>(name: string, called: Promise<T>): Promise<T> {
  const result = await called;
  if (result !== pulumi.unknown) return result;
  throw new pulumi.RunError(`${name}: the provider's arguments are not known yet; use ${name}Output`);
}

export function assertKnownOptions(name: string, opts: pulumi.InvokeOutputOptions = {}): void {
  const problems = unknownNames(opts, options, `an option of ${name}`);
  if (problems.length > 0) throw new pulumi.RunError(`${name}: ${problems.join("; ")}`);
}

/** The connection for calls of `getVoices` and `decisionCheck` that the program sends itself, without the plugin. */
export const programConnection = oncePerProgram(async (): Promise<Connection> => {
  // Loaded by the first call, because most programs do not call these functions.
  const [{ connect }, { readSettings }, { BilledRequests }, { addressGuard }] = await Promise.all([
    import("../service/connect"),
    import("../rules/settings"),
    import("../service/billed-requests"),
    import("../rules/addresses"),
  ]);
  const settings = readSettings(findInProgram);
  const engine = new EngineConnection(engineOfProgram());
  const billed = new BilledRequests({ assertMaySend: engine.assertAlive });
  return { service: connect(settings, { log, assertAddress: addressGuard(settings, process.env) }), settings, billed };
});

/** Logs a line through the engine. Does nothing with mocks, because there is no engine. */
function log(line: string): void {
  if (pulumi.runtime.hasEngine()) void pulumi.log.info(`cloudvoice: ${line}`);
}
