/** The texts of a list in which a condition stands before some: `[isLate && "it is late"]`. */
export function textsOf(list: readonly (string | false | undefined)[]): string[] {
  return list.filter((text) => typeof text === "string");
}

/** At most so many of the texts, by default five, and how many more there are. */
export function firstOf(texts: readonly string[], most = 5): string {
  const more = texts.length - most;
  return texts.slice(0, most).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
