/*
 * The classes of `index.ts`, registered with the native plugin: the build replaces register.ts by
 * program/register-native.ts.
 */
export * from "./index";
export { Provider } from "./program/provider";
export type { ProviderArgs } from "../generated/provider-args";
