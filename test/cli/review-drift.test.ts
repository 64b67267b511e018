import { exitCodeOf } from "../../provider/src/cli/review/review";
import { countsText } from "../../provider/src/cli/review/words";
import { refreshedStack, review, step, targetModel, urnOf } from "../support/review-steps";

/** Drift is what `pulumi refresh --preview-only` finds, read by the same function: voices that are missing are to be created. */

const content = { targetModel, audio: "a.wav", audioSha256: "a", nameVersion: 1, preferredName: "v_1234567" };
const lost = step("delete", "v", { olds: content });
const refresh = (name: string, kind: "voice" | "image" = "voice") =>
  step("refresh", name, { kind, olds: content, news: content });

test("a missing voice is a create with its price, and never a deletion", () => {
  const reviewed = review([refreshedStack, lost, refresh("kept")]);
  expect(reviewed.changes).toMatchObject([
    {
      ...{ action: "create", name: "v", charge: 0.01, id: "svc-v" },
      why: "missing at the service; `pulumi up --refresh` creates it again, an update without a refresh does not",
    },
  ]);
  expect([reviewed.goingVoices, countsText(reviewed)]).toEqual([[], "1 voice to create"]);
  expect([exitCodeOf(reviewed), exitCodeOf(reviewed, true)]).toEqual([0, 2]);
});

test("a stack whose voices are all there has no drift", () => {
  const reviewed = review([refreshedStack, refresh("kept"), refresh("cover", "image")]);
  expect([countsText(reviewed), exitCodeOf(reviewed, true)]).toEqual(["nothing to change", 0]);
});

test("a question of the refresh is open in the review", () => {
  const question = { id: "missing-1", kind: "missing", uncertain: "The list is empty.", yes: "they count as deleted" };
  const reviewed = review([refreshedStack, refresh("v")], {}, { urn: "", question });
  expect([reviewed.questions, exitCodeOf(reviewed)]).toEqual([[question], 1]);
});

describe("in a preview, a voice that the list lacks", () => {
  const gone = { urn: urnOf("v"), gone: "svc-v" };

  test.each([
    ["of an unchanged resource", step("same", "v", { olds: content, news: content })],
    [
      "of a resource that another path updates",
      step("update", "v", { olds: content, news: { ...content, audio: "b" } }),
    ],
  ])("%s is created again by `pulumi up --refresh`, and counts", (_, each) => {
    const reviewed = review([each], {}, gone);
    expect(reviewed.changes).toMatchObject([{ action: "create", charge: 0.01 }]);
    expect([exitCodeOf(reviewed), exitCodeOf(reviewed, true)]).toEqual([0, 2]);
  });

  test("was found by the preview's own refresh: it is created, and no refresh is needed", () => {
    const reviewed = review([refresh("v"), step("create", "v", { news: content })]);
    expect(reviewed.changes).toMatchObject([{ action: "create", why: "missing at the service; created again" }]);
  });
});

test.each([
  ["of a refresh with the native classes", "refresh", urnOf("cover", "image")],
  ["of a refresh with the other classes, which the engine tells no URN", "refresh", ""],
  ["of a preview", "same", urnOf("cover", "image")],
])("an image whose saved file is missing is a free change: %s", (_, op, urn) => {
  const cover = (name: string, file: string) =>
    step(op, name, { kind: "image", olds: { saveTo: "covers" }, outputs: { images: [{ file: `covers/${file}` }] } });
  const steps = [refreshedStack, cover("cover", "cover-1a2b-1.png"), cover("whole", "whole-1a2b-1.png")];
  const reviewed = review(op === "same" ? steps.slice(1) : steps, {}, { urn, gone: "cover-1a2b-1.png" });
  expect(reviewed.changes).toMatchObject([
    {
      ...{ action: "update", name: "cover", charge: 0 },
      why: expect.stringMatching(
        /^missing: covers\/cover-1a2b-1\.png; .*up --refresh.* saves it again .*; free$/,
      ) as string,
    },
  ]);
  expect([reviewed.charge.imageTasks, exitCodeOf(reviewed, true)]).toEqual([0, 2]);
});
