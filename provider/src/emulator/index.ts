export { type Emulator, type EmulatorOptions, startEmulator } from "./emulator";
export type { FaultKind, FaultRule } from "./faults";
export type { Action, LedgerEntry, LedgerSummary, TaskRow, VoiceRow } from "./ledger";
