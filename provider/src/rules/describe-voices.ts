import { nameInVoice, withoutHash } from "./naming";
import { createdAt } from "./time";
import type { Listed } from "./voice";

const mostNames = 8;

/** Describes the voices that fill the account, grouped by name, the oldest first. */
export function describeVoices(voices: readonly Listed[]): string {
  const groups = new Map<string, { count: number; oldest: string }>();
  for (const { voice, gmtCreate } of voices) {
    const name = withoutHash(nameInVoice(voice) ?? voice);
    const oldest = createdAt(gmtCreate) ?? "9999";
    const group = groups.get(name) ?? { count: 0, oldest };
    groups.set(name, { count: group.count + 1, oldest: group.oldest < oldest ? group.oldest : oldest });
  }
  const sorted = [...groups].sort(([, a], [, b]) => a.oldest.localeCompare(b.oldest));
  const shown = sorted
    .slice(0, mostNames)
    .map(
      ([name, { count, oldest }]) => `${count} × ${name}${oldest === "9999" ? "" : ` (since ${oldest.slice(0, 10)})`}`,
    );
  const rest = sorted.length - shown.length;
  return shown.join(", ") + (rest > 0 ? `, and ${rest} more ${rest === 1 ? "name" : "names"}` : "");
}
