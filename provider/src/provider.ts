/** Provider texts in states load this module (dynamic/provider-text.ts), so its exports keep their names. */
import { once } from "./once";
import { type Config, dynamicProvider } from "./dynamic/dynamic-provider";
import { lifecyclesOf, storedKeyHints } from "./lifecycle/layers";
import { Cancellation } from "./lifecycle/cancel";
import { dropErrorsPrintedByEngine } from "./dynamic/host";
import { startOperation } from "./lifecycle/operation";
import { EngineConnection, engineAddress, whenEngineIsGone } from "./engine-alive";
import { findSetting } from "./rules/find-setting";
import { readSettings } from "./rules/settings";

dropErrorsPrintedByEngine();

/** The engine configures each kind of resource, always with the same configuration. All kinds share one operation. */
const lifecycles = once((config: Config) => {
  const settings = readSettings((name) => findSetting(name, process.env, config), Object.keys(process.env));
  const { assertAlive } = new EngineConnection(engineAddress(process.argv));
  const cancellation = new Cancellation();
  // Cancel, but do not exit: this process may also run the dynamic providers of other packages.
  whenEngineIsGone(assertAlive, () => cancellation.cancel());
  // The runner of a pipeline, e.g. GitLab's, may signal every process of a job. Do not exit: requests may be under way.
  // The engine ends this process after them.
  process.once("SIGTERM", () => {
    cancellation.cancel();
    whenEngineIsGone(assertAlive, () => process.exit(1));
  });
  const parts = { assertEngineAlive: assertAlive, ...cancellation.operationParts(settings) };
  const operation = startOperation(settings, parts);
  return lifecyclesOf(operation, [storedKeyHints(operation.checks)]);
});

export const cloudVoice = dynamicProvider((config) => lifecycles(config).voice); // @persisted
export const generatedImage = dynamicProvider((config) => lifecycles(config).image); // @persisted
export const decision = dynamicProvider((config) => lifecycles(config).decision); // @persisted
