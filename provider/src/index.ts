export {
  CloudVoice,
  type CloudVoiceArgs,
  Decision,
  type DecisionArgs,
  type DecisionCheckResult,
  GeneratedImage,
  type GeneratedImageArgs,
  type GetVoicesResult,
  type ImageModel,
  type ImageOutput,
  type Language,
  type TargetModel,
  type VoiceRights,
  type VoiceRightsArgs,
} from "./pulumi/program/resources";
export {
  DecisionCheck,
  decisionCheck,
  type DecisionCheckArgs,
  decisionCheckOutput,
  type DecisionCheckOutputArgs,
} from "./pulumi/program/decision-check";
export { getVoices, type GetVoicesArgs, getVoicesOutput } from "./pulumi/program/get-voices";
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
export { imageModels, languages, targetModels } from "./rules/contract";
export * from "./errors";
