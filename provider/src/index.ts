export { CloudVoice, type CloudVoiceArgs } from "./pulumi/cloud-voice";
export { Decision, type DecisionArgs } from "./pulumi/decision";
export {
  decisionCheck,
  type DecisionCheckArgs,
  decisionCheckOutput,
  type DecisionCheckOutputArgs,
  type DecisionCheckResult,
} from "./pulumi/decision-check";
export { getVoices, type GetVoicesArgs, getVoicesOutput, type GetVoicesResult } from "./pulumi/get-voices";
export { GeneratedImage, type GeneratedImageArgs } from "./pulumi/generated-image";
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
} from "./decide/decision";
export { VoiceCatalog, type VoiceCatalogArgs, type VoiceManifestEntry } from "./pulumi/voice-catalog";
export { type ImageModel, imageModels, type ImageOutput } from "./decide/image";
export { type Language, languages, type TargetModel, targetModels } from "./decide/voice";
export * from "./errors";
