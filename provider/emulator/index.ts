export { startEmulator } from "./emulator";
export type { FaultKind, FaultRule } from "./faults";
export type { Action, LedgerEntry, LedgerSummary, TaskRow, VoiceRow } from "./ledger";
export type { Quirk } from "./quirks";
export type { CallsPerSecond } from "./rate-limits";
export type { Emulator, EmulatorOptions } from "./types";
