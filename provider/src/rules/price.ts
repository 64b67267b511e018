import { statedVoicePrice } from "./contract";
import { isRecord } from "./is-record";
import type { ResourceKind } from "./resource-types";
import type { Settings } from "./settings";
import { secretText } from "./rights";
import { unknownValue } from "./unknown";

/** The service states a price of voices only (docs/service.md). */
export type Prices = Pick<Settings, "voicePrice" | "imagePrice" | "decisionPricePerMillionTokens" | "currency">;

/**
 * The settings with prices. A person who may change the stack's file may change them, and with them what the limits
 * allow.
 */
export const priceNames = ["voicePrice", "imagePrice", "decisionPricePerMillionTokens", "currency"] as const;
export type PriceTexts = Partial<Record<(typeof priceNames)[number], string>>;

/**
 * A sentence for each price in the stack's configuration that makes a charge look smaller than it is, or that differs
 * from the last operation. `inFile`: the prices of the configuration, without those that the environment overrides.
 * `last`: undefined if not known.
 */
export function doubtfulPrices(inFile: PriceTexts, last: PriceTexts | undefined): string[] {
  return priceNames.flatMap((name) => {
    const price = inFile[name];
    if (price === undefined) return [];
    const before = last?.[name] ?? "";
    const change = last !== undefined && before !== price ? ` It was ${before || "not set"} before.` : "";
    if (name === "voicePrice" && price !== "" && Number(price) < statedVoicePrice)
      return [
        `The stack's configuration sets ${name} to ${price}, and the service states ${statedVoicePrice} USD.${change}`,
      ];
    return change === "" ? [] : [`The stack's configuration has ${price || "no value"} as ${name} now.${change}`];
  });
}

/**
 * What making a resource with these inputs costs; undefined if that is not known. A decision's price is an estimate.
 */
export function priceOf(kind: ResourceKind, inputs: Record<string, unknown>, prices: Prices): number | undefined {
  const { voicePrice, imagePrice, decisionPricePerMillionTokens: ofMillion } = prices;
  switch (kind) {
    case "voice":
      return voicePrice;
    case "image": {
      // The service was seen to make one image if the number is left out.
      const { n = 1 } = inputs;
      return imagePrice === undefined || typeof n !== "number" ? undefined : imagePrice * n;
    }
    case "decision": {
      const tokens = estimatedTokens(inputs);
      return ofMillion === undefined || tokens === undefined ? undefined : (tokens * ofMillion) / 1e6;
    }
  }
}

/** A third of the bytes of state and questions, which is high for most languages. Undefined if they are not known. */
function estimatedTokens({ state, questions }: Record<string, unknown>): number | undefined {
  const text = JSON.stringify([isRecord(state) ? JSON.stringify(state) : state, questions]);
  const isKnown = state !== undefined && ![secretText, unknownValue].some((hidden) => text.includes(hidden));
  return isKnown ? Math.ceil(Buffer.byteLength(text) / 3) : undefined;
}

/** Rounds to a millionth, so that sums of cents are exact. */
export function sumOf(amounts: readonly number[]): number {
  return Math.round(amounts.reduce((sum, amount) => sum + amount, 0) * 1e6) / 1e6;
}

/** `$0.01`, `€0.01`. */
export function moneyText(amount: number, currency: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6, useGrouping: false };
  return amount.toLocaleString("en-US", { style: "currency", currency, ...digits });
}
