import { createdAt } from "./time";
import { unknownValue } from "./unknown";

interface Found {
  voice: string;
  gmtCreate?: string | undefined;
}

export interface ExistingVoiceVerdict<T extends Found> {
  reuse?: T;
  warn?: string;
  reject?: string;
}

const dayMs = 24 * 3600 * 1000;

/** What to do when a create finds voices of its own preferred name in the account. */
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
        `the account already has ${found.length === 1 ? "a voice" : `${found.length} voices`} named ${name}: ${voices}. ` +
        "A new one is made: a name that the program chose does not tell whose they are. To take one over, set adopt; to be safe, leave preferredName out",
    };
  }
  const age = ageMs(youngest, nowMs);
  if (age < dayMs) {
    return {
      reuse: youngest,
      warn:
        `took the voice ${youngest.voice}, made ${describeAge(age)} ago for this very resource, instead of paying for another (whether it is degraded is not known). ` +
        "If it is somebody else's, set cloudvoice:namespace; to make another, change triggers",
    };
  }
  return {
    reject:
      `the voice ${youngest.voice} bears the name of this resource, ${name}, but ` +
      `${age === Infinity ? "its age is not known" : `is ${describeAge(age)} old`}, so it may be somebody else's. ` +
      `If it is this resource's, set adopt to it; if another program made it, set cloudvoice:namespace to a name of your own; ` +
      "if nobody uses it, delete it; to make another beside it, change triggers",
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

/** Whether a voice that is to be adopted speaks through another model than the one declared, as far as that is known. */
export function isBoundToAnother(found: { targetModel: string }, targetModel: unknown): boolean {
  return found.targetModel !== targetModel && targetModel !== unknownValue;
}
