import { InputError } from "../errors";
import { environmentName, type SettingValue } from "./find-setting";
import type { ResourceKind } from "./resource-types";
import { createHash } from "node:crypto";
import { isThisMachine } from "./public-url";
import { visible } from "./visible";

/*
 * Decides whether the API key may be sent to an address: a change under review may set a new address in the stack's
 * configuration.
 */

export const addressNames = ["baseUrl", "voiceBaseUrl", "imageBaseUrl", "decisionBaseUrl"] as const;
export type AddressName = (typeof addressNames)[number];
export const addressOf = { voice: "voiceBaseUrl", image: "imageBaseUrl", decision: "decisionBaseUrl" } as const;

type FindAddress = (name: AddressName) => SettingValue | undefined;

const isOfFile = ({ source = "" }: Partial<SettingValue> = {}) => source.startsWith("cloudvoice:");

/**
 * Problems of addresses in the stack's configuration if the environment sets an address too. E.g. the environment sets
 * one address for all interfaces, and a change adds an image address to the configuration.
 */
export function addressesBesideEnvironment(find: FindAddress): string[] {
  const settings = addressNames.map((name) => ({ name, source: find(name)?.source ?? "" }));
  if (!settings.some(({ source }) => source.startsWith("CLOUDVOICE_"))) return [];
  return settings
    .filter(isOfFile)
    .map(
      ({ name, source }) =>
        `${source} is set in the stack's configuration, while the environment sets other addresses: ` +
        `set ${environmentName(name)} too, so that a change of the configuration cannot redirect the key`,
    );
}

type AddressesOfFile = Partial<Record<ResourceKind, AddressName>>;

/** For each interface, the setting in the stack's configuration that has the interface's address, if any. */
export function addressesOfFile(find: FindAddress): AddressesOfFile {
  const kinds = Object.keys(addressOf) as ResourceKind[];
  const used = kinds.map((kind) => [kind, find(addressOf[kind]) ? addressOf[kind] : "baseUrl"] as const);
  return Object.fromEntries(used.filter(([, name]) => isOfFile(find(name))));
}

/** Whether this is a pipeline, by the variable that all of them set. */
export function isPipeline({ CI = "" }: { CI?: string | undefined }): boolean {
  return !["", "0", "false"].includes(CI.trim().toLowerCase());
}

/**
 * Why the key must not be sent to the address of this interface. Undefined if it may. In a pipeline, an address must not
 * come from the stack's configuration, which a change under review can edit.
 */
function addressProblem(
  { addressesOfFile: ofFile }: { addressesOfFile: AddressesOfFile },
  kind: ResourceKind,
  environment: { CI?: string | undefined },
): string | undefined {
  const name = ofFile[kind];
  if (name === undefined || !isPipeline(environment)) return undefined;
  return (
    `in a pipeline (CI is set), the address of the service must not come from the stack's configuration ` +
    `(cloudvoice:${name}), which a change under review can edit: set ${environmentName(name)}`
  );
}

/** Throws if the key must not be sent to the address of this interface. */
export function addressGuard(settings: { addressesOfFile: AddressesOfFile }, environment: { CI?: string | undefined }) {
  return (kind: ResourceKind): void => {
    const problem = addressProblem(settings, kind, environment);
    if (problem !== undefined) throw new InputError(problem);
  };
}

/**
 * Identifies an account in the state of each resource: the address of the interface, and six hex digits of a hash of
 * address and key. The digits do not reveal the key.
 */
export function accountFingerprint(baseUrl: string, apiKey: string): string {
  // @persisted
  const address = originOf(baseUrl);
  return `${address} ${createHash("sha256").update(`${address}\0${apiKey}`).digest("hex").slice(0, 6)}`;
}

/** The whole address: scheme, host, port and path. */
function originOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return pathname === "/" ? origin : `${origin}${pathname}`;
}

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
