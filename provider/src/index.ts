export { CloudVoice, type CloudVoiceArgs } from "./pulumi/cloud-voice";
export { type Language, languages, type TargetModel, targetModels } from "./decide/voice";
export * from "./errors";
