import { addressNames } from "./addresses";
import { environmentName } from "./find-setting";
import { isThisMachine } from "./public-url";
import { visible } from "./visible";

export const emulatorKeyPrefix = "emulator-";

interface Surroundings {
  environment: NodeJS.ProcessEnv;
  /** The settings file of the stack, as parsed. */
  config?: Record<string, unknown>;
}

/** The reason to assume that a command is meant for a service, not for the emulator. Undefined if there is none. */
export function meantForService({ environment, config = {} }: Surroundings): string | undefined {
  const variable = (name: string) => environment[name]?.trim() || undefined;
  for (const name of addressNames.map(environmentName)) {
    const address = variable(name);
    if (address !== undefined && !isThisMachine(address)) return `${name} is ${visible(address)}`;
  }
  const key = variable(environmentName("apiKey"));
  if (key !== undefined && !key.startsWith(emulatorKeyPrefix))
    return `${environmentName("apiKey")} has a key that is not the emulator's`;
  if (variable("PULUMI_BACKEND_URL") !== undefined)
    return "PULUMI_BACKEND_URL names a backend that is not this project's own";
  for (const name of addressNames) {
    const address = config[`cloudvoice:${name}`];
    if (address === undefined || (typeof address === "string" && isThisMachine(address))) continue;
    const shown = typeof address === "string" ? `the address ${visible(address)}` : "an address that is secret";
    return `the stack's configuration has ${shown} (cloudvoice:${name})`;
  }
  const stored = config["cloudvoice:apiKey"];
  if (stored !== undefined && !(typeof stored === "string" && stored.startsWith(emulatorKeyPrefix)))
    return "the stack's configuration has a key (cloudvoice:apiKey)";
  return undefined;
}
