export * from "./errors";
export * from "./program/invokes";
export * from "../generated/resources";
export * from "./program/voice-catalog";
export { imageModels, languages, targetModels } from "./rules/contract";
export * from "./rules/decision";
