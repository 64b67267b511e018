/*
 * The same classes, registered with the native plugin: the build puts pulumi/program/register-native.ts in the place of
 * register.ts.
 */
export * from "./index";
export * from "./pulumi/program/voice-set";
export type { VoiceSetEntry } from "../generated/voice-set";
export { Provider } from "./pulumi/program/provider";
export type { ProviderArgs } from "../generated/provider-args";
