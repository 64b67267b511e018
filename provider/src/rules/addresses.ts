import { accountDifference, addressIn, isLoopback, originOf } from "./account-fingerprint";
import { environmentName, type FoundSetting } from "./find-setting";
import type { Question } from "./question";
import type { ResourceKind } from "./resource-types";
import { visible } from "./visible";

/*
 * Decides whether the API key may be sent to an address: a change under review may set a new address in the stack's
 * configuration.
 */

export const addressNames = ["baseUrl", "voiceBaseUrl", "imageBaseUrl", "decisionBaseUrl"] as const;
export type AddressName = (typeof addressNames)[number];
export const addressOf = { voice: "voiceBaseUrl", image: "imageBaseUrl", decision: "decisionBaseUrl" } as const;

type FindAddress = (name: AddressName) => FoundSetting | undefined;

const isOfFile = ({ source = "" }: Partial<FoundSetting> = {}) => source.startsWith("cloudvoice:");

/**
 * Problems of addresses in the stack's configuration if the environment sets an address too. E.g. the environment sets
 * one address for all interfaces, and a change adds an image address to the configuration.
 */
export function addressesBesideEnvironment(find: FindAddress): string[] {
  const found = addressNames.map((name) => ({ name, source: find(name)?.source ?? "" }));
  if (!found.some(({ source }) => source.startsWith("CLOUDVOICE_"))) return [];
  return found
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

/** The account of an interface that the state of a resource records, as a fingerprint. */
export interface Recorded {
  kind: ResourceKind;
  account: string | undefined;
}

export interface AddressUse {
  kind: ResourceKind;
  address: string;
  /** The setting in the stack's configuration with the address. Undefined outside of a pipeline. */
  ofFile: AddressName | undefined;
}

export function addressUse(
  settings: Partial<Record<AddressName, string | undefined>> & Record<"addressesOfFile", AddressesOfFile>,
  kind: ResourceKind,
  { CI }: { CI?: string | undefined },
): AddressUse | undefined {
  const address = settings[addressOf[kind]];
  if (address === undefined) return undefined;
  return { kind, address, ofFile: CI ? settings.addressesOfFile[kind] : undefined };
}

/** Reasons not to send the key to an address: questions to a person, or a problem that no answer resolves. */
export interface AddressDoubts {
  questions: Question[];
  problem?: string | undefined;
}

/**
 * `recorded`: the addresses of all resources of the stack. `served`: the addresses of the resources that the same
 * provider serves, because a stack may have several providers.
 */
export function addressDoubts(
  use: AddressUse,
  recorded: readonly Recorded[],
  served: readonly Recorded[] = recorded,
): AddressDoubts {
  const current = originOf(use.address);
  const ofKind = served.flatMap(({ kind, account }) => (kind === use.kind ? (addressIn(account) ?? []) : []));
  const found = [...new Set(ofKind)].map((address) => ({ address, difference: accountDifference(address, current) }));
  const foreign = found.filter(({ difference }) => difference === "address" || difference === "machine");
  const mixed = foreign.find(({ difference }) => difference === "machine")?.address;
  if (mixed !== undefined) {
    const advice = isLoopback(mixed) ? emulatorAdvice : "";
    return { questions: [], problem: addressChange(use.kind, mixed, current) + mixedAddresses + advice };
  }
  return {
    questions: foreign.map(({ address }) => addressQuestion(use.kind, address, current)),
    problem: unproven(use, current, recorded),
  };
}

function addressChange(kind: ResourceKind, was: string, is: string): string {
  const setting = `${addressOf[kind]} (or baseUrl)`;
  return `The state records the address ${visible(was)}, and the setting ${setting} is ${visible(is)} now.`;
}

const mixedAddresses =
  " An emulator on this machine and a service have no account in common, so nothing was sent. Use a stack for each, or set " +
  "the address that the resources were made with";

const emulatorAdvice =
  ". The resources in the state of this stack exist only in an emulator. Remove them with " +
  "`npx --no-install pulumi-cloudvoice dev --here -- pulumi destroy`";

function addressQuestion(kind: ResourceKind, was: string, is: string): Question {
  return {
    ...{ kind: "address", origin: is, stack: "", request: was },
    uncertain: `${addressChange(kind, was, is)} The key was not sent there.`,
    yes: `the key is sent to ${visible(is)}, which counts as the same account at a new address. The next refresh writes it into the state`,
    otherwise: "Otherwise set the address that the resources were made with.",
  };
}

function unproven({ ofFile }: AddressUse, current: string, recorded: readonly Recorded[]): string | undefined {
  if (ofFile === undefined || recorded.some(({ account }) => addressIn(account) === current)) return undefined;
  return (
    `cloudvoice:${ofFile} is ${visible(current)}, and no resource in the state of the stack was made with this address. In a ` +
    "pipeline, the environment or the state must confirm the address before the key is sent there: " +
    `set ${environmentName(ofFile)} in the pipeline (docs/settings.md)`
  );
}
