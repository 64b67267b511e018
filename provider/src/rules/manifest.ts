/** The facts about a voice that a program needs to synthesize speech. An absent language may be null. */
export function manifestEntry(
  state: Partial<Record<"voice" | "targetModel" | "language", unknown>>,
): Record<string, unknown> {
  const { voice, targetModel, language = null } = state;
  return { voice, targetModel, ...(language !== null && { language }) };
}
