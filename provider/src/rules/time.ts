/** 2100, in seconds since 1970. Larger numbers are milliseconds. */
const latestSeconds = 4_102_444_800;

/**
 * Parses the service's `2025-08-11 17:59:32`, as UTC if it names no zone, or a number of seconds or milliseconds since
 * 1970. Undefined for any other form.
 */
export function createdAt(gmtCreate: unknown): string | undefined {
  if (typeof gmtCreate === "number") return createdAtNumber(gmtCreate);
  if (typeof gmtCreate !== "string") return undefined;
  // Ten digits are seconds and thirteen are milliseconds, for any date of this century.
  if (/^(\d{10}|\d{13})$/.test(gmtCreate)) return createdAtNumber(Number(gmtCreate));
  const match = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/.exec(gmtCreate);
  return match ? isoTime(`${match[1]}T${match[2]}${match[3] ?? "Z"}`) : undefined;
}

function createdAtNumber(value: number): string | undefined {
  return value > 0 ? isoTime(value > latestSeconds ? value : value * 1000) : undefined;
}

function isoTime(time: string | number): string | undefined {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace(/\.\d+/, "");
}

/** When a listed voice was created: as the list states it, else from the time in the voice's name. */
export function createdAtOfListed(voice: string, gmtCreate: unknown): string | undefined {
  return createdAt(gmtCreate) ?? createdAtOfVoice(voice);
}

/** The creation time in a voice's name (17 digits, to the millisecond), or undefined if the name has another shape. */
export function createdAtOfVoice(voice: string): string | undefined {
  const match = /-voice-(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})\d{3}(?:\D|$)/.exec(voice);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  return createdAt(`${year}-${month}-${day} ${hour}:${minute}:${second}`);
}
