import type { Step } from "../../provider/src/cli/review/preview";
import { isReplacedOver, percent } from "../../provider/src/cli/review/limits";
import { review, step } from "../support/review-steps";

const names = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
const inputs = (name: string) => ({ targetModel: "m", audio: `${name}.wav` });
const replace = (name: string) => step("replace", name, { olds: inputs(name), news: { ...inputs(name), audio: "x" } });
const same = (name: string) => step("same", name, { olds: inputs(name), news: inputs(name) });
const account = names(100).map((name) => ({ voice: `svc-${name}`, targetModel: "m", gmtCreate: undefined }));

test.each<[what: string, steps: Step[], replaced: { voices: number; of: number }]>([
  ["a first update", names(9).map((name) => step("create", name, { news: inputs(name) })), { voices: 0, of: 0 }],
  ["another recording for each", names(6).map(replace), { voices: 6, of: 6 }],
  ["one of three", [replace("v0"), same("v1"), same("v2")], { voices: 1, of: 3 }],
  [
    "a new name of a resource without an alias",
    [step("create", "new", { news: inputs("v0") }), step("delete", "v0", { olds: inputs("v0") }), same("v1")],
    { voices: 1, of: 2 },
  ],
  ["removed voices", [step("delete", "v0", { olds: inputs("v0") }), same("v1")], { voices: 0, of: 2 }],
])("%s counts", (_, steps, replaced) => {
  expect(review(steps, { account }).replaced).toMatchObject(replaced);
});

test.each<[voices: number, of: number, limit: number | undefined, isOver: boolean]>([
  [5, 24, 20, true],
  [5, 25, 20, false],
  [4, 4, 20, false],
  [0, 0, 0, false],
  [61, 61, 100, false],
  [61, 61, undefined, false],
  [5, 100, 0, true],
])("%d of %d with a limit of %s percent", (voices, of, limit, isOver) => {
  expect(isReplacedOver({ voices, of, limit })).toBe(isOver);
});

test.each([
  ["20%", 20],
  ["20", 20],
  [" 2.5 % ", 2.5],
  ["0%", 0],
  ["100%", 100],
])("%j is a share", (text, value) => {
  expect(percent(text)).toBe(value);
});

test.each(["", "%", "101%", "-1%", "a%", "1e2", "20%%"])("%j is none", (text) => {
  expect(() => percent(text)).toThrow(/percentage/);
});

test("the first change of an adopted voice is shown with the recording first, and with its new name", () => {
  const named = (sha256: string) => ({
    ...inputs("v0"),
    audioSha256: sha256,
    preferredName: `v0_${sha256}`,
    nameVersion: 1,
  });
  const adopting = { ...named("aaaaaaa"), adopt: "svc-v0" };
  const changed = step("replace", "v0", { olds: adopting, news: named("bbbbbbb"), outputs: { adopted: true } });
  expect(review([changed], { account }).changes).toMatchObject([
    {
      action: "replace",
      why: "audio, adopt changed; the new voice gets a generated name",
      fields: [{ field: "audio" }, { field: "adopt" }],
    },
  ]);
});
