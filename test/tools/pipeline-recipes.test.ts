import { readFileSync } from "node:fs";
import { join } from "node:path";
import { environmentName } from "../../provider/src/rules/find-setting";
import { addressNames } from "../../provider/src/rules/addresses";
import { root } from "../support/files";
import { action, commentAction, gitlab, workflow } from "../support/pipeline";

/** The form of the recipes and of the action for pipelines. `test/faces/pipelines.test.ts` runs them. */

test.each(["github.yml", "github-dev-prod.yml"])(
  "%s gives the action the inputs that it has, and those that it needs",
  (name) => {
    // The job to require as a check runs nothing.
    const { reviewed: _, ...jobs } = workflow(name).jobs;
    const uses = Object.values(jobs).flatMap(({ steps }) =>
      steps.filter((step) => step.uses?.endsWith("actions/review")),
    );
    expect(uses).toHaveLength(Object.keys(jobs).length - 1);
    const needed = Object.keys(action.inputs).filter((input) => action.inputs[input]?.required);
    for (const { with: given = {} } of uses) {
      expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
      expect(Object.keys(given)).toEqual(expect.arrayContaining(needed));
    }
  },
);

test.each(["github.yml", "github-dev-prod.yml"])(
  "%s gives the token that comments to a job that runs nothing of the change, and to no other",
  (name) => {
    const { reviewed, ...jobs } = workflow(name).jobs;
    expect(reviewed?.permissions ?? {}).toEqual({});
    for (const [job, { permissions, steps }] of Object.entries(jobs)) {
      const isComment = job === "comment";
      expect([job, permissions]).toEqual([
        job,
        isComment ? { "pull-requests": "write", actions: "read" } : { contents: "read" },
      ]);
      if (isComment) expect(steps.map(({ uses }) => uses)).toEqual(["$/.github/actions/review/comment"]);
    }
    expect(Object.keys(commentAction.inputs)).toEqual(["stack"]);
    // The job of the review may only read, and gives its token to Git alone, before anything of the change runs.
    const withToken = action.runs.steps.filter((step) => JSON.stringify(step).includes("github.token"));
    expect(withToken.map(({ name: step }) => step)).toEqual(["Recordings"]);
    expect(action.runs.steps[0]).toBe(withToken[0]);
    expect(JSON.stringify(withToken[0])).not.toMatch(/inputs\.(api-key|passphrase|access-token)/);
  },
);

test("dev and prod: every stack is reviewed in the pull request, and every night, with rights of its own that only read", () => {
  const { on, jobs } = workflow("github-dev-prod.yml");
  const stacks = ["dev", "prod"];
  for (const name of ["review", "drift"])
    expect(jobs[name]).toMatchObject({
      strategy: { matrix: { stack: stacks } },
      environment: "${{ matrix.stack }}-review",
      permissions: { contents: "read" },
    });
  expect(jobs.comment?.strategy).toEqual({ "fail-fast": false, matrix: { stack: stacks } });
  expect(jobs.review?.if).toContain("github.event_name == 'pull_request'");
  // The updates have the environments with the rights to write, and prod waits for its reviewers.
  expect(stacks.map((name) => [jobs[name]?.environment, jobs[name]?.needs])).toEqual([
    ["dev", "drift"],
    ["prod", "dev"],
  ]);
  const [nightly, monthly] = on.schedule?.map(({ cron }) => cron) ?? [];
  expect(nightly).toBe("17 3 * * *");
  // Before the monthly update too: its reviewers find there what it creates again. After a merge there is no drift job.
  expect(jobs.drift?.if).toBe("github.event_name == 'schedule'");
  expect(jobs.dev?.if).toBe(`!cancelled() && (github.event_name == 'push' || github.event.schedule == '${monthly}')`);
  expect(jobs.prod?.if).toBe("!cancelled() && needs.dev.result == 'success'");
});

test("GitLab: only the job that runs nothing of the merge request names the token that comments, and forks are left out", () => {
  const jobs = Object.entries(gitlab).filter(([, job]) => JSON.stringify(job).includes("GITLAB_TOKEN"));
  expect(jobs.map(([name]) => name)).toEqual(["note"]);
  expect(jobs[0]?.[1]).toMatchObject({
    environment: { name: "review-note", action: "access" },
    variables: { GIT_STRATEGY: "empty" },
  });
  for (const name of ["review", "note"])
    expect(JSON.stringify(gitlab[name])).toContain(
      "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_MERGE_REQUEST_PROJECT_ID",
    );
});

test("the recipe for GitHub has 35 lines, and every action of others is pinned by its commit", () => {
  expect(
    readFileSync(join(root, "docs/pipelines/github.yml"), "utf8").trimEnd().split("\n").length,
  ).toBeLessThanOrEqual(35);
  const recipes = ["github", "github-dev-prod", "github-environments", "github-test"].map(
    (name) => `docs/pipelines/${name}.yml`,
  );
  const files = [...recipes, "actions/review/action.yml", "actions/review/comment/action.yml"];
  const workflows = [".github/workflows/ci.yml", ".github/workflows/release.yml"];
  for (const file of [...files, ...workflows]) {
    const used = [...readFileSync(join(root, file), "utf8").matchAll(/^\s*-?\s*uses: (.*)$/gm)].map(
      ([, name = ""]) => name,
    );
    expect(used.filter((name) => !/^[\w/-]+@[0-9a-f]{40} # v\d|^\$\//.test(name))).toEqual([]);
  }
});

test("a check for drift is in no queue with an update, because of those that wait there only the last one runs", () => {
  const [voices] = Object.values(workflow("github.yml").jobs);
  expect(voices?.concurrency?.group).toBe(
    "voices-${{ github.event.number || github.event.schedule && github.event.schedule != '17 5 1 * *' && 'drift' || 'up' }}",
  );
});

test("each stack has a journal of its own in the cache, because a cache is written once, and an artifact without a slash", () => {
  const caches = action.runs.steps.filter((step) => step.uses?.startsWith("actions/cache"));
  expect(caches).toHaveLength(2);
  for (const { with: given = {} } of caches)
    for (const key of [given.key, given["restore-keys"] ?? given.key])
      expect(key).toMatch(/^cloudvoice-journal-\$\{\{ inputs\.stack \}\}@/);
  const [upload, page] = action.runs.steps.filter((step) => step.uses?.startsWith("actions/upload-artifact"));
  // A job may fail before its script has set these, and then there is nothing to publish.
  for (const step of [upload, page]) expect(step?.if).toContain("steps.run.outputs.folder != ''");
  expect(upload?.with?.name).toBe("${{ steps.run.outputs.artifact }}");
  // One file that is not packed has its own name.
  expect(page?.with).toMatchObject({
    path: "${{ steps.run.outputs.folder }}/${{ steps.run.outputs.artifact }}.html",
    archive: false,
  });
});

test("with an address of the pipeline, none of the stack's configuration is used, also for one interface", () => {
  const env = action.runs.steps.find(({ name }) => name === "Run")?.env ?? {};
  for (const name of addressNames.map(environmentName)) {
    expect(env[name]).toMatch(
      name === "CLOUDVOICE_BASE_URL" ? /^\$\{\{ inputs.base-url \}\}$/ : /\|\| inputs.base-url \}\}$/,
    );
    if (name !== "CLOUDVOICE_BASE_URL") expect(gitlab.variables).toHaveProperty(name, "$CLOUDVOICE_BASE_URL");
  }
});
