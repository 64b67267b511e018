export * from "./errors";
export * from "./pulumi/program/decision-check";
export * from "./pulumi/program/get-voices";
export * from "../generated/resources";
export * from "./pulumi/program/voice-catalog";
export { imageModels, languages, targetModels } from "./rules/contract";
export * from "./rules/decision";
