import { statedVoicePrice } from "./contract";
import type { ResourceKind } from "./resource-types";
import type { Settings } from "./settings";
import { secretText } from "./rights";
import { isRecord, unknownValue } from "./values";

/** The settings with prices. A person who may edit the stack's file may change prices, and so the limits on charges. */
export const priceNames = ["voicePrice", "imagePrice", "decisionPricePerMillionTokens", "currency"] as const;
/** The service states only the price of voices (docs/service.md). */
export type Prices = Pick<Settings, (typeof priceNames)[number]>;
export type VoicePrice = Pick<Prices, "voicePrice" | "currency">;
export type PriceTexts = Partial<Record<(typeof priceNames)[number], string>>;

/**
 * A sentence if the price in the stack's configuration is below the service's stated price, which makes a charge look
 * small. Pass the prices that the environment does not override.
 */
export function doubtfulPrices({ voicePrice = "" }: PriceTexts): string[] {
  if (voicePrice === "" || Number(voicePrice) >= statedVoicePrice) return [];
  return [
    `The stack's configuration sets voicePrice to ${voicePrice}, and the service states ${statedVoicePrice} USD.`,
  ];
}

/** The price of a resource with these inputs. Undefined if it is not known. For a decision, an estimate. */
export function priceOf(kind: ResourceKind, inputs: Record<string, unknown>, prices: Prices): number | undefined {
  const { voicePrice, imagePrice, decisionPricePerMillionTokens: pricePerMillion } = prices;
  switch (kind) {
    case "voice":
      return voicePrice;
    case "image": {
      // By default, the service was seen to generate one image.
      const { n = 1 } = inputs;
      return imagePrice === undefined || typeof n !== "number" ? undefined : imagePrice * n;
    }
    case "decision": {
      const tokens = estimatedTokens(inputs);
      return pricePerMillion === undefined || tokens === undefined ? undefined : (tokens * pricePerMillion) / 1e6;
    }
  }
}

/**
 * A third of the bytes of state and questions: a high estimate for most languages. Undefined if they are not known.
 */
function estimatedTokens({ state, questions }: Record<string, unknown>): number | undefined {
  const text = JSON.stringify([isRecord(state) ? JSON.stringify(state) : state, questions]);
  const isKnown = state !== undefined && ![secretText, unknownValue].some((hidden) => text.includes(hidden));
  return isKnown ? Math.ceil(Buffer.byteLength(text) / 3) : undefined;
}

/** What new voices cost, e.g. `$0.03`. */
export function voicesCost(count: number, { voicePrice, currency }: VoicePrice): string {
  return moneyText(count * voicePrice, currency);
}

/** Rounds to a millionth, so that sums of cents are exact. */
export function sumOf(amounts: readonly number[]): number {
  return Math.round(amounts.reduce((sum, amount) => sum + amount, 0) * 1e6) / 1e6;
}

/** Returns e.g. `for $0.03`. `price`: undefined if the price of an image is not known. */
export function imageCost(price: number | undefined, currency: string): string {
  return price === undefined
    ? "at a price that is not known (cloudvoice:imagePrice)"
    : `for ${moneyText(price, currency)}`;
}

/** `$0.01`, `€0.01`. */
export function moneyText(amount: number, currency: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 6, useGrouping: false };
  return amount.toLocaleString("en-US", { style: "currency", currency, ...digits });
}
