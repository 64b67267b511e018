import * as pulumi from "@pulumi/pulumi";
import { secretNames } from "../../provider/src/program/register";
import { assertPlainObjects } from "../../provider/src/program/sdk";

const namesIn = (inputs: object) =>
  new Promise<string[] | undefined>((resolve) => {
    const names = secretNames(inputs);
    if (names === undefined) resolve(undefined);
    else names.apply((known) => resolve(known));
  });

test.each<[string, object, string[] | undefined]>([
  ["plain values", { a: "x", b: 1, c: undefined, d: { e: ["f"] } }, undefined],
  ["outputs that are not secret", { a: pulumi.output("x") }, undefined],
  ["a secret", { a: pulumi.secret("x"), b: "y" }, ["a"]],
  ["a secret inside an object", { a: { b: [pulumi.secret("x")] }, c: pulumi.output("d") }, ["a"]],
  ["what is made from a secret", { a: pulumi.interpolate`${pulumi.secret("x")}.wav` }, ["a"]],
])("names the secret inputs among %s", async (_, inputs, names) => {
  expect(await namesIn(inputs)).toEqual(names);
});

test.each([new Date(0), new Map([["a", 1]]), new Set(["a"]), new URL("https://a.example"), Buffer.from("a"), 10n])(
  "a value whose content Pulumi drops is refused by the name of its input, at any depth: %s",
  (value) => {
    const inputs = { text: "plain", state: { at: [value] } };
    expect(() => assertPlainObjects("gate", inputs)).toThrow(
      /^gate: state contains a date, a map, a bigint or similar/,
    );
  },
);

test("plain values, instances of classes, outputs, promises and assets are not refused", () => {
  class Ticket {
    constructor(readonly title: string) {}
  }
  const later = { output: pulumi.output(new Date(0)), promise: Promise.resolve(1) };
  const audio = new pulumi.asset.FileAsset("a.wav");
  const inputs = { state: { ticket: new Ticket("a"), list: [1, null, undefined, true] }, later, audio };
  expect(() => assertPlainObjects("gate", inputs)).not.toThrow();
});
