import { checkFailure } from "../../provider/src/rules/inputs";
import { daysLeft, rightsProblem, storedRights } from "../../provider/src/rules/rights";
import { checkVoiceInputs } from "../../provider/src/rules/voice-fields";

const noon = Date.parse("2026-11-21T12:00:00Z");
const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const full = { holder: "Jane", evidence: "file 7" };

test.each([
  ["2026-11-21", 0],
  ["2026-11-22", 1],
  ["2026-11-20", -1],
])("until %s, there are %s days left at any time of the day", (until, left) => {
  expect([noon, Date.parse("2026-11-21"), Date.parse("2026-11-21T23:59:59Z")].map((at) => daysLeft(until, at))).toEqual(
    [left, left, left],
  );
});

test.each<[string, { until?: string } | undefined, RegExp | undefined]>([
  ["no rights", undefined, /^has no rights: add rights/],
  ["rights without an end", {}, undefined],
  ["rights on their last day", { until: "2026-11-21" }, undefined],
  ["rights that have ended", { until: "2026-11-20" }, /^has rights that ended on 2026-11-20: take the voice out/],
])("%s", (_, rights, expected) => {
  expect(rightsProblem(rights, noon, false) ?? "").toMatch(expected ?? /^$/);
  expect(rightsProblem(rights, noon, true) ?? "").not.toMatch(/2026/);
});

test.each([
  ["nothing wrong", { ...full, until: "2028-02-29" }, []],
  ["a day that does not exist", { ...full, until: "2027-02-29" }, ['rights["until"] must be a day, as 2027-12-31']],
  ["a time", { ...full, until: "2027-02-28T00:00Z" }, ['rights["until"] must be a day, as 2027-12-31']],
  ["no evidence", { holder: "Jane" }, ['rights["evidence"] must be a text']],
  ["a blank holder", { ...full, holder: " " }, ['rights["holder"] must not be empty']],
  [
    "a misspelt field",
    { ...full, untill: "2027-01-01" },
    ["rights `untill` is not a field of rights; did you mean `until`?"],
  ],
  ["a text", "Jane", ["rights must be an object: { holder, evidence, until? }"]],
])("a check of rights shows no value: %s", (_, rights, reasons) => {
  const inputs = { targetModel: "svc3-tts-vc-2026-01-22", audio: "https://audio.example/a.wav", rights };
  const failures = checkVoiceInputs(inputs, new Set(), { audio: undefined, extraTargetModels: [] }).map((problem) =>
    checkFailure(problem),
  );
  expect(failures).toEqual(reasons.map((reason) => ({ property: "", reason })));
});

test.each([
  ["none", undefined, undefined],
  ["null", null, undefined],
  ["without a holder", { evidence: "file 7" }, { holder: "", evidence: "file 7" }],
  ["with fields that are no texts", { holder: 1, evidence: [] }, { holder: "", evidence: "" }],
  ["a text", "Jane", { holder: "", evidence: "" }],
  ["in clear", full, full],
  ["whole secret, in a preview", "[secret]", "all"],
  ["whole secret, encrypted", { ...secret, ciphertext: "v1:…" }, "all"],
  ["whole secret, read with its secrets", { ...secret, plaintext: JSON.stringify(full) }, "all"],
  ["a secret holder, in a preview", { ...full, holder: "[secret]" }, { ...full, holder: "[secret]" }],
  [
    "a secret holder, read with its secrets",
    { ...full, holder: { ...secret, plaintext: '"Jane"' } },
    { ...full, holder: "[secret]" },
  ],
])("rights as they are stored: %s", (_, value, shown) => {
  const all = { holder: "[secret]", evidence: "[secret]", until: "[secret]" };
  expect(storedRights(value)).toEqual(shown === "all" ? all : shown);
});
