import type { Change } from "../../provider/src/cli/review/change";
import { isOverStackQuota, stackQuotaOf } from "../../provider/src/cli/review/stack-quota";

const change = (action: Change["action"], fields: Partial<Change> = {}): Change => ({
  ...{ kind: "voice", action, name: "v", urn: "u", why: "", fields: [], charge: 0, ...fields },
});
const held = (...ids: string[]) => ids.map((id) => ({ id, pendingDelete: false }));
const old = { id: "a" };

test.each<[what: string, changes: Change[], peak: number, after: number]>([
  ["no change", [change("update", old)], 2, 2],
  ["a new voice and one that is removed", [change("create"), change("delete", old)], 3, 2],
  ["a replacement", [change("replace", old)], 3, 2],
  ["a replacement that deletes first", [change("replace", { ...old, deletesFirst: true })], 2, 2],
  ["a replacement that keeps its own voice", [change("replace", { ...old, takes: "a" })], 2, 2],
  ["voices from elsewhere", [change("adopt", { takes: "x" }), change("take", { takes: "y" })], 4, 4],
  ["a voice that is handed over", [change("adopt", { takes: "a" }), change("delete", old)], 2, 2],
  ["a voice that stays in the account", [change("delete", { ...old, retained: true })], 2, 1],
  ["an image", [change("create", { kind: "image" })], 2, 2],
])("of a stack with two voices: %s", (_, changes, peak, after) => {
  const quota = stackQuotaOf(changes, held("a", "b"), () => true, 2);
  expect(quota).toEqual({ limit: 2, now: 2, peak, after });
  expect(isOverStackQuota(quota)).toBe(peak > 2);
});

test("an old copy goes, and a voice that is missing in the account counts when it is created again", () => {
  const voices = [...held("a", "missing"), { id: "copy", pendingDelete: true }];
  const quota = stackQuotaOf([change("create")], voices, (voice) => voice !== "missing", 3);
  expect(quota).toEqual({ limit: 3, now: 2, peak: 3, after: 2 });
  // A stack that is over its bound may still be updated.
  expect(isOverStackQuota({ limit: 1, now: 2, peak: 2, after: 1 })).toBe(false);
  expect(isOverStackQuota(undefined)).toBe(false);
});
