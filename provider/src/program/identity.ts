import type * as pulumi from "@pulumi/pulumi";
import { dynamicUrn, type ResourceIdentity, resourceLabel, type ToldIdentity } from "../rules/resource-types";
import { organization, packageOf, urnOf } from "./sdk";

/** Workaround: the engine does not pass these facts to a provider (rules/resource-types.ts). */
export async function toldIdentity(opts: pulumi.CustomResourceOptions): Promise<ToldIdentity> {
  const { deleteBeforeReplace, retainOnDelete } = opts;
  const gates = await gatesBefore(opts);
  return {
    organization: organization(),
    ...(deleteBeforeReplace && !retainOnDelete && { deleteBeforeReplace }),
    ...(gates.length > 0 && { gates }),
  };
}

/** A decision with `expect`. Its label is unique in the program, while two decisions can have the same name. */
export interface Gate {
  label: Promise<string>;
  provider: unknown;
}

export function gateOf(type: string, name: string, opts: pulumi.CustomResourceOptions = {}): Gate {
  const label = urnOf(type, name, opts.parent).then((urn) => resourceLabel(dynamicUrn(urn)));
  return { label, provider: providerOf(opts) };
}

/** The gates that a resource with these options waits for, directly or because its dependencies wait for them. */
export function gatesOf(opts: pulumi.CustomResourceOptions = {}): Gate[] {
  const dependencies = [opts.dependsOn ?? [], opts.parent].flat() as ({ __gates?: Gate[] } | undefined)[];
  // Several dependencies may wait for the same gate, so remove duplicates.
  return [...new Set(dependencies.flatMap((each) => each?.__gates ?? []))];
}

/** The labels of the gates that a resource waits for, except gates of other providers, whose processes judge them. */
export async function gatesBefore(opts: WithProviders = {}): Promise<string[]> {
  const gatesOfProvider = gatesOf(opts).filter(({ provider }) => provider === providerOf(opts));
  return [...new Set(await Promise.all(gatesOfProvider.map(({ label }) => label)))];
}

/** The options of a resource, or of a component, which may have several providers. */
type WithProviders = pulumi.CustomResourceOptions & Pick<pulumi.ComponentResourceOptions, "providers">;

export function providerOf({ provider, providers = {}, parent }: WithProviders = {}): unknown {
  const providerInOptions = Array.isArray(providers)
    ? providers.find((each) => packageOf(each) === "cloudvoice")
    : providers.cloudvoice;
  return provider ?? providerInOptions ?? parent?.getProvider("cloudvoice:index:Provider");
}

/** The identity of a dynamic resource. The generated name and the keys of the journal's notes depend on it. */
export async function identityOf(
  type: string,
  name: string,
  opts: pulumi.CustomResourceOptions = {},
): Promise<ResourceIdentity> {
  return {
    ...(await toldIdentity(opts)),
    urn: await urnOf(type, name, opts.parent),
    marksPaths: true,
  };
}
