import { InputError } from "../errors";
import { environmentName, type SettingValue } from "./find-setting";
import type { ResourceKind } from "./resource-types";

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
