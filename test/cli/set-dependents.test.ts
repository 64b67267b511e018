import { setDependents } from "../../provider/src/cli/review/preview";
import { voiceSetType } from "../../provider/src/rules/resource-types";
import { unknownValue } from "../../provider/src/rules/unknown";
import type { Step } from "../../provider/src/cli/review/step";

const urnOf = (type: string, name: string) => `urn:pulumi:dev::p::${type}::${name}`;
const set = urnOf(voiceSetType, "voices");
const step = (op: string, urn: string, type: string, inputs = {}, propertyDependencies = {}): Step => ({
  ...{ op, urn },
  newState: { type, inputs, outputs: {}, propertyDependencies },
});
const dependent = (name: string, op = "update", value: unknown = unknownValue, on = set) =>
  step(op, urnOf("aws:ssm:Parameter", name), "aws:ssm:Parameter", { value }, { value: [on] });

test.each<[what: string, steps: Step[], named: RegExp | undefined]>([
  ["what takes an unknown output of an updated set", [dependent("manifest")], /^manifest may not really change/],
  ["a replacement too", [dependent("file", "replace")], /^file may/],
  ["a value that is inside of others", [dependent("list", "update", ["a", { b: unknownValue }])], /^list may/],
  ["what is new or goes anyhow", [dependent("new", "create"), dependent("old", "delete")], undefined],
  ["what does not change", [dependent("same", "same")], undefined],
  ["a value that is known", [dependent("known", "update", "svc-tts-vc-a")], undefined],
  ["what takes it from another resource", [dependent("other", "update", unknownValue, urnOf("t", "x"))], undefined],
  [
    "many, by the first five names",
    "a b c d e f g".split(" ").map((name) => dependent(name)),
    /^a, b, c, d, e and 2 more may/,
  ],
])("a review of a set names %s", (_, steps, named) => {
  const notes = setDependents([step("update", set, voiceSetType), ...steps]);
  expect(notes).toEqual(named ? [expect.stringMatching(named)] : []);
  // A new set has no output that was known before.
  expect(setDependents([step("create", set, voiceSetType), ...steps])).toEqual([]);
});
