export * from "./errors";
export * from "./program/decision-check";
export * from "./program/get-voices";
export * from "../generated/resources";
export * from "./program/voice-catalog";
export { imageModels, languages, targetModels } from "./rules/contract";
export * from "./rules/decision";
