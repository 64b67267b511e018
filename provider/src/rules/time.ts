import { visible } from "./visible";

/** 2000 and 2100, in seconds since 1970. */
const earliestSeconds = 946_684_800;
const latestSeconds = 4_102_444_800;

/** Formats with the parts of a time from year to second. Without a zone, UTC. */
const formats = [
  // 2025-08-11 17:59:32.000 +0800, 2025/08/11T17:59Z, 2025-08-11
  /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$/i,
  // 20250811, 20250811175932, 20250811175932123, 20250811T175932Z
  /^(\d{4})()(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})(?:\d{3})?(Z)?)?$/i,
];

/**
 * A time of the service in ISO 8601. Reads unambiguous formats, as UTC if they have no zone, and seconds or
 * milliseconds since 1970. Undefined for any other text.
 */
export function createdAt(gmtCreate: unknown): string | undefined {
  if (typeof gmtCreate !== "number" && typeof gmtCreate !== "string") return undefined;
  const text = String(gmtCreate).trim();
  if (/^\d{10}(\.\d+)?$|^\d{13}(\.\d+)?$/.test(text)) return ofNumber(Number(text));
  if (text.length > 60) return undefined;
  for (const format of formats) {
    const match = format.exec(text);
    if (match) return ofParts(match.slice(1), match[8]);
  }
  return typeof gmtCreate === "number" ? ofNumber(gmtCreate) : undefined;
}

function ofNumber(value: number): string | undefined {
  const seconds = value > latestSeconds ? value / 1000 : value;
  return seconds >= earliestSeconds && seconds <= latestSeconds ? isoTime(seconds * 1000) : undefined;
}

/** Undefined for a time that does not exist: `Date.UTC` would carry e.g. February 30 over into March. */
function ofParts(parts: (string | undefined)[], zone: string | undefined): string | undefined {
  const [year = 0, , month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part) => Number(part ?? 0));
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const isReal = at.getUTCMonth() === month - 1 && at.getUTCDate() === day && minute < 60 && second < 60;
  if (!isReal || year < 2000 || year > 2100) return undefined;
  const { sign, hours = 0, minutes = 0 } = zone?.match(/(?<sign>[+-])(?<hours>\d\d):?(?<minutes>\d\d)?/)?.groups ?? {};
  const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return isoTime(at.getTime() - offset * 60_000);
}

export function isoTime(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+/, "");
}

/**
 * The creation time of a listed voice: from the list if its format is known, else from the voice's name. If neither has
 * a known time, the text in the list, from which no age can be computed.
 */
export function createdAtOfListed(voice: string, gmtCreate: unknown): string | undefined {
  const serviceText = typeof gmtCreate === "string" || typeof gmtCreate === "number" ? String(gmtCreate).trim() : "";
  return createdAt(gmtCreate) ?? createdAtOfVoice(voice) ?? (visible(serviceText.slice(0, 100)) || undefined);
}

/** The day of a creation time, for people. Empty if there is no time, or its format is unknown. */
export const dayOf = (createdAtText: string | undefined) => createdAt(createdAtText)?.slice(0, 10) ?? "";

export const dayMs = 24 * 3600 * 1000;

/** The service deletes voices that were unused for a year, but does not report when a voice was used. */
export const retentionWarnDays = 335;

export function ageMs(createdAtText: string | undefined, nowMs: number): number | undefined {
  const at = createdAt(createdAtText);
  return at === undefined ? undefined : nowMs - Date.parse(at);
}

export function ageDays(createdAtText: string | undefined, nowMs: number): number | undefined {
  const age = ageMs(createdAtText, nowMs);
  return age === undefined ? undefined : Math.max(0, Math.floor(age / dayMs));
}

/** The creation time in a voice's name (14 digits, or 17 with milliseconds). Undefined if the name has none. */
export function createdAtOfVoice(voice: string): string | undefined {
  return createdAt(/-voice-(\d{8}T?\d{6})(?:\d{3})?(?!\d)/.exec(voice)?.[1]);
}
