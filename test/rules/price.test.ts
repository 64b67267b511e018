import { doubtfulPrices, moneyText, priceOf, sumOf } from "../../provider/src/rules/price";
import { unknownValue } from "../../provider/src/rules/unknown";

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

test.each<[what: string, inFile: object, last: object | undefined, sentences: (string | RegExp)[]]>([
  ["no price", { voicePrice: "", imagePrice: "" }, {}, []],
  ["the stated price", { voicePrice: "0.01" }, undefined, []],
  ["a higher price", { voicePrice: "0.02" }, undefined, []],
  [
    "the prices of the last operation",
    { imagePrice: "0.03", currency: "EUR" },
    { imagePrice: "0.03", currency: "EUR" },
    [],
  ],
  ["a price that the environment sets", {}, { voicePrice: "0.01" }, []],
  [
    "a lower price",
    { voicePrice: "0.009" },
    undefined,
    [/^The stack's configuration sets voicePrice to 0.009, and the service states 0.01 USD.$/],
  ],
  ["a lower price, as before", { voicePrice: "0" }, { voicePrice: "0" }, [/states 0.01 USD.$/]],
  ["a lower price, which is new", { voicePrice: "0" }, {}, [/states 0.01 USD. It was not set before.$/]],
  [
    "a price that changed",
    { imagePrice: "0.001" },
    { imagePrice: "0.03" },
    ["The stack's configuration has 0.001 as imagePrice now. It was 0.03 before."],
  ],
  ["a price that is gone", { imagePrice: "" }, { imagePrice: "0.03" }, [/has no value as imagePrice now. It was 0.03/]],
  [
    "a higher price that changed",
    { voicePrice: "1" },
    { voicePrice: "2" },
    [/has 1 as voicePrice now. It was 2 before/],
  ],
  ["another currency", { currency: "JPY" }, { currency: "USD" }, [/has JPY as currency now/]],
])("of the prices in the stack's configuration, %s is said if it may hide a charge", (_, inFile, last, sentences) => {
  const said = doubtfulPrices(inFile, last);
  expect(said).toHaveLength(sentences.length);
  for (const [index, sentence] of sentences.entries()) expect(said[index]).toMatch(sentence);
});
