/** The facts about a voice that a program needs to synthesize speech. An absent language may be null. */
export function manifestEntry({
  voice,
  targetModel,
  language = null,
}: {
  voice?: unknown;
  targetModel?: unknown;
  language?: unknown;
}): Record<string, unknown> {
  return { voice, targetModel, ...(language !== null && { language }) };
}
