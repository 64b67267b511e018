/*
 * The classes of `index.ts`, registered with the native plugin: the build replaces register.ts by
 * pulumi/program/register-native.ts.
 */
export * from "./index";
export { Provider } from "./pulumi/program/provider";
export type { ProviderArgs } from "../generated/provider-args";
