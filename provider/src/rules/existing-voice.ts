import { createdAt } from "./time";
import { unknownValue } from "./unknown";

interface Found {
  voice: string;
  gmtCreate?: string | undefined;
}

/** At most one of the three. An empty verdict: nothing was found, so the voice is created. */
export interface ExistingVoiceVerdict<T extends Found> {
  /** Use this voice and pay for none. */
  reuse?: T;
  /** What the log reports of it. */
  warn?: string;
  /** Fail: why, and what to do. */
  reject?: string;
}

const dayMs = 24 * 3600 * 1000;

/** Decides what happens when a create finds voices of its own preferred name in the account. */
export function resolveExistingVoice<T extends Found>(
  name: string,
  generated: boolean,
  found: T[],
  nowMs: number,
): ExistingVoiceVerdict<T> {
  const [youngest] = [...found].sort((a, b) => ageMs(a, nowMs) - ageMs(b, nowMs));
  if (youngest === undefined) return {};
  if (!generated) {
    const voices = found.map((row) => row.voice).join(", ");
    return {
      warn:
        `the account already has ${found.length === 1 ? "a voice" : `${found.length} voices`} ` +
        `named ${name}: ${voices}. ` +
        "A new one is created, because a name that the program chose does not show who owns a voice. " +
        "To take one over, set adopt; to avoid duplicates, leave preferredName out",
    };
  }
  const age = ageMs(youngest, nowMs);
  if (age < dayMs) {
    return {
      reuse: youngest,
      warn:
        `took the voice ${youngest.voice}, created ${describeAge(age)} ago for this resource, instead of paying for ` +
        "another (whether it is degraded is not known). " +
        "If it belongs to someone else, set cloudvoice:namespace; to create another, change triggers",
    };
  }
  return {
    reject:
      `the voice ${youngest.voice} has the name of this resource, ${name}, but ` +
      `${age === Infinity ? "its age is not known" : `is ${describeAge(age)} old`}, ` +
      "so it may belong to someone else. " +
      "If it belongs to this resource, set adopt to it; if another program created it, set cloudvoice:namespace to a " +
      "name of your own; if nobody uses it, delete it; to create another beside it, change triggers",
  };
}

function ageMs(row: Found, nowMs: number): number {
  const at = createdAt(row.gmtCreate);
  return at === undefined ? Infinity : nowMs - Date.parse(at);
}

function describeAge(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** Whether a voice to adopt is bound to another model than the declared one, as far as that is known. */
export function isBoundToAnother(found: { targetModel: string }, targetModel: unknown): boolean {
  return found.targetModel !== targetModel && targetModel !== unknownValue;
}
