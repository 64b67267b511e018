export { startEmulator } from "./emulator";
export type { FaultKind, FaultRule } from "./faults";
export type { Action, LedgerEntry, LedgerSummary, TaskRow, VoiceRow } from "./ledger";
export { startKeptEmulator } from "./kept";
export type { CallsPerSecond } from "./rate-limits";
export { sampleRecording } from "./sample-recording";
export type { DecisionAnswers, Emulator, EmulatorOptions } from "./types";
