/** Parses the service's `2025-08-11 17:59:32`, as UTC if it names no zone. Undefined for any other form. */
export function createdAt(gmtCreate: string | undefined): string | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/.exec(gmtCreate ?? "");
  if (!match) return undefined;
  const at = new Date(`${match[1]}T${match[2]}${match[3] ?? "Z"}`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace(".000Z", "Z");
}

/** The creation time in a voice's name (17 digits, to the millisecond), or undefined if the name has another shape. */
export function createdAtOfVoice(voice: string): string | undefined {
  const match = /-voice-(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})\d{3}(?:\D|$)/.exec(voice);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  return createdAt(`${year}-${month}-${day} ${hour}:${minute}:${second}`);
}
