import { modeOf, type Trigger } from "../../actions/src/mode";

const main = "refs/heads/main";
const base = { defaultBranch: "main", isProtected: false };

test.each<[what: string, trigger: Partial<Trigger> & { event: string }, mode: string]>([
  ["a pull request", { event: "pull_request", ref: "refs/pull/7/merge" }, "review"],
  [
    "a merge queue",
    { event: "merge_group", ref: "refs/heads/gh-readonly-queue/main/pr-7", isProtected: true },
    "review",
  ],
  ["a merge", { event: "push" }, "up"],
  ["a push to a protected branch", { event: "push", ref: "refs/heads/release", isProtected: true }, "up"],
  ["a push, where only a review is wanted", { event: "push", stated: "review" }, "review"],
  ["the night", { event: "schedule", cron: "17 3 * * *" }, "drift"],
  ["a day of each month", { event: "schedule", cron: "17 5 1 * *" }, "up"],
  ["each Monday", { event: "schedule", cron: "0 6 * * 1" }, "drift"],
  ["the first days of a month", { event: "schedule", cron: "0 6 1-7 * *" }, "drift"],
  ["a cron that nobody reads", { event: "schedule", cron: "" }, "drift"],
  ["a schedule that states an update", { event: "schedule", cron: "0 6 * * 1", stated: "up" }, "up"],
  [
    "the monthly day, in the job that looks for drift",
    { event: "schedule", cron: "17 5 1 * *", stated: "drift" },
    "drift",
  ],
  ["a manual run", { event: "workflow_dispatch" }, "review"],
  ["a manual update", { event: "workflow_dispatch", stated: "up" }, "up"],
  ["an update by the API", { event: "repository_dispatch", stated: "up" }, "up"],
])("%s", (_, trigger, mode) => {
  expect(modeOf({ ...base, ref: main, ...trigger })).toBe(mode);
});

test.each<[what: string, trigger: Partial<Trigger> & { event: string }]>([
  ["pull_request_target", { event: "pull_request_target" }],
  ["issue_comment", { event: "issue_comment" }],
  ["workflow_run", { event: "workflow_run" }],
  ["an event of next year", { event: "merge_train" }],
  ["a push to a branch", { event: "push", ref: "refs/heads/change" }],
  ["a push of a tag", { event: "push", ref: "refs/tags/v1", isProtected: true }],
  ["a push to a branch that is called like a tag's ref", { event: "push", ref: "main" }],
  ["a push of a merge queue", { event: "push", ref: "refs/heads/gh-readonly-queue/main/pr-7", isProtected: true }],
  ["an update of a pull request", { event: "pull_request", ref: "refs/pull/7/merge", stated: "up" }],
  ["an update of a merge queue", { event: "merge_group", stated: "up" }],
  ["a manual update of a branch", { event: "workflow_dispatch", ref: "refs/heads/change", stated: "up" }],
  ["a manual update of a tag", { event: "workflow_dispatch", ref: "refs/tags/v1", isProtected: true, stated: "up" }],
  ["a mode that is not there", { event: "push", stated: "upp" }],
])("refused, with the name of the event: %s", (_, trigger) => {
  expect(() => modeOf({ ...base, ref: main, ...trigger })).toThrow(new RegExp(`event ${trigger.event} `));
});

test("without the default branch in the payload, only a protected branch is updated", () => {
  const push = { event: "push", ref: main, defaultBranch: undefined };
  expect(() => modeOf({ ...push, isProtected: false })).toThrow("event push");
  expect(modeOf({ ...push, isProtected: true })).toBe("up");
});
