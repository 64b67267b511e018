import type { LedgerEntry } from "./ledger";
import type { EmulatorState } from "./state";
import type { Emulator } from "./types";

/** The methods of an emulator that change or read its state. Tests and the control routes use them. */
export type Controls = Omit<Emulator, "url" | "apiKey" | "close">;

export function controlsOf(state: EmulatorState): Controls {
  const { accounts, faults, ledger } = state;
  const recordControl = (account: string, effect: Pick<LedgerEntry, "voice" | "deleted">) =>
    state.record({ account, action: "control", status: 200, charge: 0, requestId: "-", ...effect });

  return {
    ledger: () => ledger.entries,
    summary: (account, since) => ledger.summary(account, since),
    voices(account = state.firstAccount) {
      state.deleteUnusedVoices();
      return accounts.state(account).voices;
    },
    time: () => new Date(state.now()),
    setFaults: (rules, seed) => faults.set(rules, seed),
    setCallsPerSecond: (limits) => state.rateLimits.set(limits),
    underWay: (action) => state.inProgress.get(action) ?? 0,
    hold: (action) => state.hold(action),
    setAnswers: (answers) => void (state.answers = answers),
    setImages: (rules) => void Object.assign(state.imageRules, rules),
    giveKey: (account, key) => accounts.giveKey(account, key),
    revokeKey: (key) => accounts.revokeKey(key),
    seedVoices(account, count, options = {}) {
      const { preferredName = "by_hand", targetModel = "svc3-tts-vc-2026-01-22", ageMs = 0 } = options;
      const create = () => state.voiceNames.createVoice(preferredName, targetModel, state.now() - ageMs, state.dialect);
      const voices = Array.from({ length: count }, create);
      for (const voice of voices) recordControl(account, { voice });
      return voices.map(({ voice }) => voice);
    },
    vanish: (account, voice) => recordControl(account, { deleted: voice }),
    advance: (ms) => state.advance(ms),
    reset() {
      ledger.clear();
      accounts.clear();
    },
  };
}
