import { probableRenames } from "../../provider/src/cli/review/explain";
import { renameAdvice } from "../../provider/src/cli/review/notes";
import type { Step } from "../../provider/src/cli/review/preview";
import { exitCodeOf } from "../../provider/src/cli/review/review";
import { countsText, fieldText } from "../../provider/src/cli/review/words";
import { unknownValue } from "../../provider/src/rules/values";
import { quotaLine, review, step, targetModel, urnOf } from "../support/review-steps";

/** Why a resource changes, as a review explains it from the steps. */

describe("a resource that disappears while another of the same content appears is probably a rename", () => {
  const content = { targetModel, audio: "a.wav", audioSha256: "aaa", nameVersion: 1, preferredName: "old_1" };
  const gone = (parts: object = {}) => step("delete", "old", { olds: { ...content, ...parts } });
  const made = (parts: object = {}) =>
    step("create", "new", { news: { ...content, preferredName: "new_1", ...parts } });
  const chosen = (preferredName: string) => ({ preferredName, nameVersion: undefined });
  const signed = (signature: string) => ({
    audio: `https://files.example/a.wav?X-Amz-Date=20261127T000000Z&X-Amz-Signature=${signature}`,
    audioSha256: undefined,
  });

  test.each<[string, Step[], boolean]>([
    ["the same content", [gone(), made()], true],
    ["the same recording at another path", [gone(), made({ audio: "moved/a.wav" })], true],
    ["the same URL with another signature", [gone(signed("a")), made(signed("b"))], true],
    ["the same chosen name", [gone(chosen("x")), made(chosen("x"))], true],
    ["another chosen name", [gone(chosen("x")), made(chosen("y"))], false],
    ["another recording", [gone(), made({ audioSha256: "bbb" })], false],
    ["another language", [gone(), made({ language: "en" })], false],
    ["an input that is not known yet", [gone(), made({ triggers: [unknownValue] })], false],
    ["an adopted voice", [gone(), made({ adopt: "svc-x" })], false],
    ["nothing disappears", [made()], false],
    ["another kind of resource", [step("delete", "old", { kind: "image" }), made()], false],
  ])("%s", (_, steps, isRename) => {
    expect([...probableRenames(steps)]).toEqual(isRename ? [[urnOf("new"), urnOf("old")]] : []);
  });

  test("images and decisions too; each old resource is the source of one new one", () => {
    const image = { model: "svc-image", prompt: "x" };
    const steps = [
      step("delete", "cover", { kind: "image", olds: image }),
      step("create", "cover-a", { kind: "image", news: { ...image, saveTo: "covers" } }),
      step("create", "cover-b", { kind: "image", news: image }),
    ];
    expect([...probableRenames(steps)]).toEqual([[urnOf("cover-a", "image"), urnOf("cover", "image")]]);
  });

  test("of several with one content, those belong together whose names do, also in a catalog", () => {
    const names = ["narrator", "helpdesk"];
    const steps = [
      ...names.map((name) => step("delete", name, { kind: "image", olds: { prompt: "x" } })),
      ...["voices-helpdesk", "voices-narrator"].map((name) =>
        step("create", name, { kind: "image", news: { prompt: "x" } }),
      ),
    ];
    expect([...probableRenames(steps)]).toEqual(
      ["helpdesk", "narrator"].map((name) => [urnOf(`voices-${name}`, "image"), urnOf(name, "image")]),
    );
  });

  test("the review names the alias that would be free, and still counts the charge", () => {
    const reviewed = review([gone(), made()]);
    expect(reviewed.changes.map(({ why }) => why)).toEqual([
      "new in the program; probably old under a new name: free if declared as a rename",
      "no longer in the program; probably renamed to new",
    ]);
    expect(reviewed.notes).toEqual([
      `new: to rename the resource at no cost, add aliases: [{ name: "old" }] to its options`,
    ]);
    expect(reviewed.charge.atMost).toBe(0.01);
  });
});

test("a resource that takes an output of a replaced voice is replaced too, and the review says why", () => {
  const base = step("replace", "base", { olds: { audioSha256: "a" }, news: { audioSha256: "b" } });
  const dependent = step("replace", "dependent", {
    olds: { triggers: ["svc-base"] },
    news: { triggers: unknownValue },
    propertyDependencies: { triggers: [urnOf("base")], targetModel: [] },
  });
  const why = (steps: Step[]) => review(steps).changes.find(({ name }) => name === "dependent")?.why;
  expect(why([base, dependent])).toMatch(/^triggers changed; uses outputs of the replaced base; /);
  expect(why([{ ...base, op: "update" }, dependent])).toMatch(/^may show only because base is .*; triggers changed; /);
});

test("a voice that is deleted with the one whose output it takes is paid for again, although nothing of it changes", () => {
  const content = { targetModel, audio: "a.wav", audioSha256: "a", nameVersion: 1, preferredName: "same_1234567" };
  const base = step("replace", "base", { olds: { audioSha256: "a" }, news: { audioSha256: "b" } });
  const same = step("replace", "same", {
    ...{ olds: content, news: content, propertyDependencies: { targetModel: [urnOf("base")] } },
  });
  const found = review([base, same]).changes.find(({ name }) => name === "same");
  expect(found).toMatchObject({
    ...{ charge: 0.01, why: expect.stringMatching(/^uses outputs of the replaced base; /) as string },
  });
  // With --replace, the provider may use a voice that a note knows, and says so.
  const asked = review(
    [step("replace", "same", { olds: content, news: content })],
    {},
    { urn: urnOf("same"), takes: "x" },
  );
  expect(asked.changes).toMatchObject([
    { charge: 0, why: "requested by --replace or by a taint; takes over the existing voice x" },
  ]);
});

test("the first change of an adopted voice is shown with the recording first, and with its new name", () => {
  const named = (sha256: string) => ({
    ...{ targetModel, audio: "a.wav", audioSha256: sha256, preferredName: `v0_${sha256}`, nameVersion: 1 },
  });
  const adopting = { ...named("aaaaaaa"), adopt: "svc-v0" };
  const changed = step("replace", "v0", { olds: adopting, news: named("bbbbbbb"), outputs: { adopted: true } });
  expect(review([changed]).changes).toMatchObject([
    {
      action: "replace",
      why:
        "audio, adopt changed; the old voice stays in the account: this stack adopted it and did not create it; " +
        "the new voice gets a generated name",
      fields: [{ field: "audio" }, { field: "adopt" }],
    },
  ]);
});

test("a resource that its option import takes into the state is a change, free of charge", () => {
  const imported = step("import", "a", { news: { targetModel, audio: "a.wav" } });
  const reviewed = review([imported], {}, quotaLine("b"));
  expect(reviewed).toMatchObject({ charge: { atMost: 0, voices: 0 }, quotas: [] });
  expect(reviewed.changes).toMatchObject([{ action: "adopt", charge: 0 }]);
  expect([countsText(reviewed), exitCodeOf(reviewed, true)]).toEqual(["1 voice to adopt", 2]);
});

describe("what to write so that a renamed voice costs nothing", () => {
  const entryOf = (catalog: string, key: string) => ({
    urn: `urn:pulumi:dev::program::cloudvoice:index:VoiceCatalog$cloudvoice:index:CloudVoice::${catalog}-${key}`,
    parent: `urn:pulumi:dev::program::cloudvoice:index:VoiceCatalog::${catalog}`,
  });

  test.each<
    [
      what: string,
      removed: Parameters<typeof renameAdvice>[0],
      added: Parameters<typeof renameAdvice>[0],
      advice: string,
    ]
  >([
    [
      "an entry of a catalog",
      entryOf("voices", "support-ja"),
      entryOf("voices", "support-jp"),
      'to rename the entry at no cost, add renamedFrom: "support-ja" (Python: renamed_from) to it. ' +
        'Its key in the manifest changes from "support-ja" to "support-jp"',
    ],
    [
      "a voice that moves into a catalog",
      { urn: urnOf("narrator") },
      entryOf("voices", "narrator"),
      `to rename the resource at no cost, add aliases: [${JSON.stringify(urnOf("narrator"))}] to its options, with a transform of the catalog`,
    ],
    [
      "a voice that leaves a catalog",
      entryOf("voices", "narrator"),
      { urn: urnOf("narrator") },
      `to rename the resource at no cost, add aliases: [${JSON.stringify(entryOf("voices", "narrator").urn)}] to its options`,
    ],
  ])("what to write so that the voice is kept: %s", (_, removed, added, advice) => {
    expect(renameAdvice(removed, added)).toBe(advice);
  });
});

describe("texts that look the same", () => {
  const changed = (old: unknown, fresh: unknown) => {
    const image = (prompt: unknown) => ({ model: "svc-image", prompt });
    const reviewed = review([step("replace", "cover", { kind: "image", olds: image(old), news: image(fresh) })]);
    return reviewed.changes.map((change) => change.fields.map((field) => fieldText(change, field)).join());
  };
  test.each([
    ["a\nb", "a\r\nb"],
    ["a", "\uFEFFa"],
    ["café", "café".normalize("NFD")],
    ["a", "a\r\n"],
    ["a b", "a\u00a0b"],
    ["é\nb", " e\u0301\r\nb"],
  ])("%j and %j: the review says that they look the same", (old, fresh) => {
    expect(changed(old, fresh)).toEqual([
      expect.stringMatching(/^prompt: .* \(looks the same; white space, .* differ\)$/),
    ]);
  });
  test.each([
    ["a", "b"],
    ["[secret]", "[secret]"],
  ])("%j and %j: nothing is said", (old, fresh) => expect(changed(old, fresh).join()).not.toContain("looks the same"));
});
