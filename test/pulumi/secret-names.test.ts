import * as pulumi from "@pulumi/pulumi";
import { secretNames } from "../../provider/src/pulumi/program/secrets";
import { assertNoProtoKeys } from "../../provider/src/pulumi/program/sdk";

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

test("a key that Pulumi drops is refused by name, at any depth", () => {
  const odd = JSON.parse('{"a":[{"__proto__":1}]}') as object;
  expect(() => assertNoProtoKeys("gate", { questions: odd })).toThrow(/^gate: questions has the key "__proto__"/);
  expect(() => assertNoProtoKeys("gate", { questions: { toString: pulumi.output("a") } })).not.toThrow();
});
