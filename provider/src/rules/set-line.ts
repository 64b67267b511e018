import { moneyText, type Prices, sumOf } from "./price";

/** What a set creates, in its line of a preview: `2 voices are created, at most $0.02`. */
export function createdText(count: number, { voicePrice, currency }: Pick<Prices, "voicePrice" | "currency">): string {
  const price = moneyText(sumOf(Array<number>(count).fill(voicePrice)), currency);
  return `${count === 1 ? "1 voice is" : `${count} voices are`} created, at most ${price}`;
}

/**
 * The line of a set without that part. A review counts the charge itself, and knows which voices a killed update has
 * made. Undefined if nothing is left.
 */
export function withoutCreated(line: string): string | undefined {
  const rest = line.replace(/(?<=: )\d{1,9} voices? (?:is|are) created, at most [^;]*/, "");
  if (rest === line) return line;
  return rest.endsWith(": ") ? undefined : rest.replace(": ; ", ": ");
}
