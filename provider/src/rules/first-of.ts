/** At most so many of the texts, by default five, and how many more there are. */
export function firstOf(texts: readonly string[], most = 5): string {
  const more = texts.length - most;
  return texts.slice(0, most).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
