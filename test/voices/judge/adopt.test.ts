import { unknownValue } from "../../../provider/src/rules/unknown";
import { adoptionProblem, heldElsewhere } from "../../../provider/src/voices/judge/adopt";
import { entry, ren, voice } from "../../support/holders";

test.each([
  ["the declared model", "m1", undefined],
  ["another model", "m2", "the voice v is bound to m1; set targetModel to this model, or adopt another voice"],
  ["a model that is not known yet", unknownValue, undefined],
])("compares the model of an adopted voice with %s", (_, targetModel, problem) => {
  expect(adoptionProblem("v", { targetModel: "m1" }, targetModel)).toBe(problem);
  // The list says no model.
  expect(adoptionProblem("v", { targetModel: "" }, targetModel)).toBeUndefined();
});

test("rejects the adoption of a voice that the account does not have", () => {
  expect(adoptionProblem("v", undefined, "m1")).toMatch(/^the account's list shows no voice v\b/);
});

test("a voice that another resource holds can't be adopted, and the error says which one has it and how to move it", () => {
  expect(heldElsewhere(voice, entry(ren))).toMatch(/^ren of the stack dev holds the voice svc-tts.*retainOnDelete/);
});
