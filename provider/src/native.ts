/*
 * The classes of `index.ts`, registered with the native plugin: the build replaces register.ts by
 * program/register-native.ts.
 */
import * as pulumi from "@pulumi/pulumi";
import type { ProviderArgs } from "../generated/provider-args";
import { plugin } from "./program/register";

export * from "./index";
export type { ProviderArgs } from "../generated/provider-args";

/**
 * An account of the service, for a program that uses several accounts. The arguments take precedence over the
 * environment and over the stack's configuration. The option `envVarMappings` keeps the key out of the state.
 *
 * ```ts
 * const studio = new Provider("studio", {}, { envVarMappings: { STUDIO_KEY: "CLOUDVOICE_API_KEY" } });
 * new CloudVoice("narrator", args, { provider: studio });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * @param name - Name of the resource.
   * @param args - The settings of the account.
   * @param opts - The usual resource options.
   */
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const apiKey = args.apiKey === undefined ? undefined : pulumi.secret(args.apiKey);
    super("cloudvoice", name, { ...args, apiKey }, pulumi.mergeOptions({ ...plugin }, opts));
  }
}
