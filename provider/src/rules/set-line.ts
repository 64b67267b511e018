import { moneyText, type Prices, sumOf } from "./price";

/** The part of a set's preview line about its new voices: `2 voices are created, at most $0.02`. */
export function createdText(count: number, { voicePrice, currency }: Pick<Prices, "voicePrice" | "currency">): string {
  const price = moneyText(sumOf(Array<number>(count).fill(voicePrice)), currency);
  return `${count === 1 ? "1 voice is" : `${count} voices are`} created, at most ${price}`;
}

/**
 * A set's preview line without {@link createdText}. A review counts the charge itself, because it knows which voices a
 * killed update created. Undefined if nothing else is in the line.
 */
export function withoutCreated(line: string): string | undefined {
  const rest = line.replace(/(?<=: )\d{1,9} voices? (?:is|are) created, at most [^;]*/, "");
  if (rest === line) return line;
  return rest.endsWith(": ") ? undefined : rest.replace(": ; ", ": ");
}
