import fc from "fast-check";
import { nearestName } from "../../provider/src/rules/nearest-name";

const inputs = ["targetModel", "audio", "preferredName", "text", "language", "triggers", "adopt"];

test.each([
  ["languge", "language"],
  ["Language", "language"],
  ["target_model", "targetModel"],
  ["targetmodel", "targetModel"],
  ["tirggers", "triggers"],
  ["audios", "audio"],
  ["txt", "text"],
  ["preferedname", "preferredName"],
])("%s is nearest to %s", (name, nearest) => {
  expect(nearestName(name, inputs)).toBe(nearest);
});

test.each(["colour", "x", "", "rights", "timeoutSeconds"])("%j is near to no input of a voice", (name) => {
  expect(nearestName(name, inputs)).toBeUndefined();
});

test("a name with one letter more, less or changed is recognised, and a right name is nearest to itself", () => {
  const change = fc.constantFrom("more", "less", "changed", "same");
  fc.assert(
    fc.property(fc.constantFrom(...inputs), change, fc.nat(), (name, kind, at) => {
      const index = at % name.length;
      const rest = name.slice(index + (kind === "less" || kind === "changed" ? 1 : 0));
      const misspelt = `${name.slice(0, index)}${kind === "more" || kind === "changed" ? "q" : ""}${rest}`;
      expect(nearestName(misspelt, inputs)).toBe(name);
    }),
  );
});
