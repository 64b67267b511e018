import { doubtfulPrices, moneyText, priceOf, sumOf } from "../../provider/src/rules/price";
import { unknownValue } from "../../provider/src/rules/values";

const all = { voicePrice: 0.02, imagePrice: 0.05, decisionPricePerMillionTokens: 2, currency: "EUR" };
const one = { voicePrice: 0.01, currency: "USD" };

test.each([0, 1, 29, 57, 1000])("%s voices cost whole cents, without a rounding error", (count) => {
  expect(sumOf(Array.from({ length: count }, () => 0.01)) * 100).toBeCloseTo(count, 9);
  expect(moneyText(sumOf(Array.from({ length: count }, () => 0.01)), "USD")).toBe(`$${(count / 100).toFixed(2)}`);
});

test.each<[string, Parameters<typeof priceOf>, number | undefined]>([
  ["a voice", ["voice", {}, all], 0.02],
  ["an image", ["image", {}, all], 0.05],
  ["several images of one task", ["image", { n: 3 }, all], 0.15],
  ["images of a number that is not known", ["image", { n: unknownValue }, all], undefined],
  ["an image without a price", ["image", {}, one], undefined],
  ["a decision", ["decision", { state: "x".repeat(2972), questions: { a: { type: "noul" } } }, all], 0.002],
  [
    "a decision of as many bytes in other letters",
    ["decision", { state: "字".repeat(990), questions: {} }, all],
    0.001986,
  ],
  ["a decision of an object", ["decision", { state: { a: 1 }, questions: {} }, all], 0.000012],
  ["a decision without a price", ["decision", { state: "x", questions: {} }, one], undefined],
  ["a decision whose state is not given", ["decision", { questions: {} }, all], undefined],
  ["a decision about a secret", ["decision", { state: "[secret]", questions: {} }, all], undefined],
  [
    "a decision about what is not known yet",
    ["decision", { state: { a: unknownValue }, questions: {} }, all],
    undefined,
  ],
])("the price of %s", (_, [kind, inputs, prices], expected) => {
  const price = priceOf(kind, inputs, prices);
  expect(price === undefined ? undefined : sumOf([price])).toBe(expected);
});

test.each([
  [0.01, "USD", "$0.01"],
  [10, "USD", "$10.00"],
  [1234.5, "EUR", "€1234.50"],
  [0.000123, "USD", "$0.000123"],
])("%s %s is shown as %s", (amount, currency, text) => {
  expect(moneyText(amount, currency)).toBe(text);
});

test.each<[what: string, inFile: object, said: string[]]>([
  ["no price", { voicePrice: "", imagePrice: "" }, []],
  ["the stated price", { voicePrice: "0.01" }, []],
  ["a higher price", { voicePrice: "0.02" }, []],
  ["a price of images, which the service does not state", { imagePrice: "0" }, []],
  [
    "a lower price",
    { voicePrice: "0.009" },
    ["The stack's configuration sets voicePrice to 0.009, and the service states 0.01 USD."],
  ],
])("of the prices in the stack's configuration, %s is said if it may hide a charge", (_, inFile, said) => {
  expect(doubtfulPrices(inFile)).toEqual(said);
});
