/** The texts of a list whose entries may have a condition: `[isLate && "it is late"]`. */
export function textsOf(list: readonly (string | false | undefined)[]): string[] {
  return list.filter((text) => typeof text === "string");
}

/** At most five of the texts, and how many more there are. */
export function firstOf(texts: readonly string[]): string {
  const more = texts.length - 5;
  return texts.slice(0, 5).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** `1 voice`, `2 voices`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
