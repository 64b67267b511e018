import fc from "fast-check";
import { code, nearestName, unknownNames } from "../../provider/src/rules/nearest-name";

const inputs = ["targetModel", "audio", "preferredName", "text", "language", "triggers", "adopt"];

test.each([
  ["Language", "language"],
  ["target_model", "targetModel"],
  ["targetmodel", "targetModel"],
  ["tirggers", "triggers"],
  ["txet", "text"],
  ["preferedname", "preferredName"],
])("%s is nearest to %s", (name, nearest) => {
  expect(nearestName(name, inputs)).toBe(nearest);
});

test.each(["colour", "x", "", "rights", "timeoutSeconds", "tabt", "taet", "txat", "txes"])(
  "%j is near to no input of a voice",
  (name) => {
    expect(nearestName(name, inputs)).toBeUndefined();
  },
);

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

test.each([
  ["of two near names the nearer one", "imagebaseurl", ["voiceBaseUrl", "imageBaseUrl"], "imageBaseUrl"],
  ["a name with any number of underscores", "a_to_b", ["aToB"], "aToB"],
  ["no name of two letters, which are too few", "id", ["ids"], undefined],
  ["no name that is the same in capital letters only", "masse", ["maße"], undefined],
  ["a name for one of 100 characters", "a".repeat(100), ["a".repeat(99)], "a".repeat(99)],
  ["no name for one of 101 characters", "a".repeat(101), ["a".repeat(100)], undefined],
])("suggests %s", (_, name, known, nearest) => {
  expect(nearestName(name, known)).toBe(nearest);
});

test("each unknown name has a sentence with the nearest name, or with all, and a value that is left out has none", () => {
  const given = { audio: "a.wav", languge: "en", colour: null, rights: undefined };
  const known = ["audio", "language"];
  expect(unknownNames(given, known, "an input of CloudVoice")).toEqual([
    "`languge` is not an input of CloudVoice; did you mean `language`?",
    "`colour` is not an input of CloudVoice; the allowed names are audio, language",
  ]);
  expect(unknownNames({ colour: 1 }, known, "an input of CloudVoice", " in defaults")).toEqual([
    "`colour` in defaults is not an input of CloudVoice; the allowed names are audio, language",
  ]);
});

test("a name in a sentence is cut after 100 characters", () => {
  expect(code("a".repeat(100))).toBe(`\`${"a".repeat(100)}\``);
  expect(code("a".repeat(101))).toBe(`\`${"a".repeat(100)}…\``);
});
