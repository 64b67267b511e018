import type * as pulumi from "@pulumi/pulumi";
import { dynamicUrn, resourceLabel } from "../../rules/resource-types";
import type { ResourceIdentity, ToldIdentity } from "../shared/identity";
import { isProtected, oncePerProgram, organization, packageOf, urnOf } from "./sdk";

/**
 * A resource that adopts a voice passes the names of all voices of the program. With more than this, a thousand
 * adoptions would pass too much. An account has up to 1,000 voices.
 */
const mostNames = 2000;
const namesInProgram = oncePerProgram((): string[] => []);

/** For voices that the plugin registers. */
export function declareVoices(names: string[]): void {
  namesInProgram().push(...names);
}

/** The voices of a resource: their names, and whether one may be adopted. */
export interface DeclaredVoices {
  voices: readonly string[];
  adopts: boolean;
}

export const declaredBy = (name: string, args: Record<string, unknown>): DeclaredVoices => ({
  voices: "audio" in args ? [name] : [],
  adopts: args.adopt !== undefined,
});

/**
 * Workaround: the engine passes this to no provider. A resource that adopts a voice waits until the program has
 * declared all others.
 */
export async function toldIdentity(
  { voices, adopts }: DeclaredVoices,
  opts: pulumi.CustomResourceOptions,
): Promise<ToldIdentity> {
  const { deleteBeforeReplace, retainOnDelete, protect = isProtected(opts.parent), import: imported } = opts;
  const names = namesInProgram();
  names.push(...voices);
  const gates = await gatesBefore(opts);
  const told = {
    organization: organization(),
    ...(deleteBeforeReplace && !retainOnDelete && { deleteBeforeReplace }),
    ...(protect && { protect }),
    ...(gates.length > 0 && { gates }),
  };
  if (!adopts && imported === undefined) return told;
  await new Promise(setImmediate);
  return names.length > mostNames ? told : { ...told, declared: JSON.stringify(names) };
}

/** A decision with expectations. Its label distinguishes it from others of its name, which may have other parents. */
export interface Gate {
  label: Promise<string>;
  provider: unknown;
}

export function gateOf(type: string, name: string, opts: pulumi.CustomResourceOptions = {}): Gate {
  const label = urnOf(type, name, opts.parent).then((urn) => resourceLabel(dynamicUrn(urn)));
  return { label, provider: providerOf(opts) };
}

/** The gates that a resource with these options waits for, including those that its dependencies wait for. */
export function gatesOf(opts: pulumi.CustomResourceOptions = {}): Gate[] {
  const others = [opts.dependsOn ?? [], opts.parent].flat() as ({ __gates?: Gate[] } | undefined)[];
  // Each once: what a resource depends on may share gates, at any number of levels.
  return [...new Set(others.flatMap((each) => each?.__gates ?? []))];
}

/** The labels of these gates, without those of other providers: this provider's process would not see them judged. */
export async function gatesBefore(opts: WithProviders = {}): Promise<string[]> {
  const here = gatesOf(opts).filter(({ provider }) => provider === providerOf(opts));
  return [...new Set(await Promise.all(here.map(({ label }) => label)))];
}

/** The options of a resource, or of a component, which may have several providers. */
type WithProviders = pulumi.CustomResourceOptions & Pick<pulumi.ComponentResourceOptions, "providers">;

export function providerOf({ provider, providers = {}, parent }: WithProviders = {}): unknown {
  const given = Array.isArray(providers)
    ? providers.find((each) => packageOf(each) === "cloudvoice")
    : providers.cloudvoice;
  return provider ?? given ?? parent?.getProvider("cloudvoice:index:Provider");
}

/**
 * Identifies a resource in its notes in the journal and in the generated name of a voice. The provider adds the rest.
 */
export async function identityOf(
  type: string,
  name: string,
  args: Record<string, unknown>,
  opts: pulumi.CustomResourceOptions = {},
): Promise<ResourceIdentity> {
  return {
    ...(await toldIdentity(declaredBy(name, args), opts)),
    urn: await urnOf(type, name, opts.parent),
    marksPaths: true,
  };
}
