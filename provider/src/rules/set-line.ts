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
  const [, before, after] =
    /^([^;]{0,500}: )\d+ voices? (?:is|are) created, at most [^;]*(?:; )?(.*)$/.exec(line) ?? [];
  if (before === undefined) return line;
  return after === "" || after === undefined ? undefined : before + after;
}
