/*
 * The same classes, registered with the native plugin: the build puts pulumi/program/register-native.ts in the place of
 * register.ts.
 */
export * from "./index";
export { Provider } from "./pulumi/program/provider";
export type { ProviderArgs } from "../generated/provider-args";
