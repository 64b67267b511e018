export type {
  CloudVoiceArgs,
  DecisionArgs,
  GeneratedImageArgs,
  ImageModel,
  Language,
  TargetModel,
} from "./pulumi/program/args";
export { CloudVoice } from "./pulumi/program/cloud-voice";
export { Decision } from "./pulumi/program/decision";
export {
  decisionCheck,
  type DecisionCheckArgs,
  decisionCheckOutput,
  type DecisionCheckOutputArgs,
  type DecisionCheckResult,
} from "./pulumi/program/decision-check";
export { getVoices, type GetVoicesArgs, getVoicesOutput, type GetVoicesResult } from "./pulumi/program/get-voices";
export { GeneratedImage } from "./pulumi/program/generated-image";
export {
  type Answer,
  type Answers,
  type ChoiceAnswer,
  type ChoiceQuestion,
  type Expectation,
  type Expectations,
  type NoulAnswer,
  type NoulQuestion,
  type Question,
  question,
  type Questions,
  type ScoreAnswer,
  type ScoreQuestion,
} from "./rules/decision";
export { VoiceCatalog, type VoiceCatalogArgs, type VoiceManifestEntry } from "./pulumi/program/voice-catalog";
export { imageModels, type ImageOutput } from "./rules/image";
export { languages, targetModels } from "./rules/voice";
export * from "./errors";
