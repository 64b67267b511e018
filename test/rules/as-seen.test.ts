import { asSeen } from "../../provider/src/rules/values";
import { decisionInputs } from "../../provider/src/rules/decision-fields";
import { imageInputs } from "../../provider/src/rules/image-fields";
import { changedInputs } from "../../provider/src/rules/inputs";
import { isSamePlace } from "../../provider/src/rules/storage";
import { voiceInputs } from "../../provider/src/rules/voice-fields";

/** Texts are compared as people see them. */

const text = "A café.\nAt dusk";
const sameTexts = {
  "CRLF of a Windows checkout": text.replaceAll("\n", "\r\n"),
  "CR alone": text.replaceAll("\n", "\r"),
  "the byte order mark of a Windows editor": `\uFEFF${text}`,
  "the decomposed form of a file system": text.normalize("NFD"),
  "a new last line": `${text}\n`,
  "all of them": `\uFEFF${text.replaceAll("\n", "\r\n").normalize("NFD")} \r\n\n`,
};

test.each(Object.entries(sameTexts))("%s makes no other text", (_, other) => {
  expect(asSeen({ a: [other] })).toEqual({ a: [text] });
});

test.each([
  ` ${text}`,
  ` \uFEFF${text}`,
  text.replace("\n", "\n\uFEFF"),
  text.replace("\n", " "),
  text.replace("\n", "\n\n"),
  text.toLowerCase(),
])("%j is another text", (other) => expect(asSeen(other)).not.toBe(text));

test("the keys of an object are compared as they are, because programs use them", () => {
  const key = "café";
  expect(asSeen({ [key.normalize("NFD")]: 1 })).not.toEqual({ [key.normalize("NFC")]: 1 });
});

describe("a program whose text is the same to the eye", () => {
  const other = sameTexts["all of them"];
  const question = (instructions: string) => ({ q: { type: "choice", instructions, criteria: { yes: instructions } } });
  test.each([
    ["prompt", imageInputs, { prompt: text }, { prompt: other }],
    ["negativePrompt", imageInputs, { negativePrompt: text }, { negativePrompt: other }],
    ["text", voiceInputs, { text }, { text: other }],
    ["state", decisionInputs, { state: text }, { state: other }],
    ["state", decisionInputs, { state: { a: [text] } }, { state: { a: [other] } }],
    ["questions", decisionInputs, { questions: question(text) }, { questions: question(other) }],
  ])("gets its new %s into its state at no cost", (input, schema, olds, news) => {
    const none = new Set<string>();
    expect(changedInputs(schema, "replaces", olds, news, none)).toEqual([]);
    expect(changedInputs(schema, "updates", olds, news, none)).toEqual([input]);
    expect(changedInputs(schema, "replaces", olds, news, new Set([input]))).toEqual([input]);
  });
});

test("a trigger that differs in white space is another one", () => {
  expect(changedInputs(imageInputs, "replaces", { triggers: ["a"] }, { triggers: ["a "] }, new Set())).toEqual([
    "triggers",
  ]);
});

test.each<[old: number | undefined, fresh: number | undefined, images: object[], replaces: boolean]>([
  [undefined, 1, [{}], false],
  [2, 1, [{}], false],
  [1, undefined, [{}], false],
  [undefined, 2, [{}, { error: "blocked" }], true],
  [undefined, 2, [{}], true],
  [1, 2, [{}], true],
])("n: %p to %p with the pictures %j", (old, fresh, images, replaces) => {
  const changed = (effect: "replaces" | "updates") =>
    changedInputs(imageInputs, effect, { n: old, images }, { n: fresh }, new Set());
  expect([changed("replaces"), changed("updates")]).toEqual(replaces ? [["n"], []] : [[], ["n"]]);
});

test.each<[string | undefined, string | undefined, boolean]>([
  ["covers", "./covers", true],
  ["covers", "covers/", true],
  ["a//b/", "./a/./b", true],
  [".", "./", true],
  ["/covers", "covers", false],
  ["../covers", "covers", false],
  ["covers", "Covers", false],
  ["covers", undefined, false],
  ["s3://b/covers", "s3://b/covers/", true],
  ["s3://b/covers?region=a", "s3://b/covers?region=b", false],
])("%j and %j are one place: %p", (a, b, isOne) => {
  expect(isSamePlace(a, b)).toBe(isOne);
  const changed = (effect: "replaces" | "updates") =>
    changedInputs(imageInputs, effect, { saveTo: a }, { saveTo: b }, new Set());
  expect([changed("replaces"), changed("updates")]).toEqual([[], isOne ? [] : ["saveTo"]]);
});
