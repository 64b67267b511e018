import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "../../provider/src/cli/commands";
import { evaluate, fill, runs } from "../support/expressions";
import { root } from "../support/files";
import { pipelineOf, readPipeline } from "../support/pipeline";
import { type Action, type Event, events, readYaml, type Step } from "../support/runner";

/** The form of the pipelines that `init` writes, of the recipes and of the actions. `test/faces` runs them. */

interface Job {
  steps: Step[];
  if?: string;
  needs?: string;
  environment?: string;
  strategy?: { matrix: { stack: string[] } };
  env?: Record<string, string>;
  permissions?: object;
  concurrency?: { group: string };
}

const folder = "docs/pipelines";
/** For one environment, and for two. */
const written = [["prod"], ["dev", "prod"]];
const github = written.map((names) => readPipeline("github", ...names) as { jobs: Record<string, Job> });
const [forOne = { jobs: {} }, forTwo = { jobs: {} }] = github;
const action = readYaml("actions/review/action.yml") as Action;
const commentAction = readYaml("actions/review/comment/action.yml") as Action;
const runAction = readYaml("actions/review/run/action.yml") as Action;
const [gitlab = {}, gitlabForOne = {}] = [["dev", "prod"], ["prod"]].map(
  (names) =>
    readPipeline("gitlab", ...names) as Record<string, { rules: object[]; environment?: object; script: unknown }>,
);
const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const recipes = readdirSync(join(root, folder)).filter((name) => /yml$/.test(name));
const comment = /^\s*#/;
const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "" && !comment.test(line));

/** All files with shell, by name. */
const texts = Object.fromEntries([
  ...recipes.map((name) => [name, textOf(`${folder}/${name}`)]),
  ...written.flatMap((names) =>
    (["github", "gitlab"] as const).map((host) => [`${host} ${names.join()}`, pipelineOf(host, ...names)]),
  ),
]) as Record<string, string>;

test.each(Object.keys(texts))("%s is short", (name) => {
  // A workflow for GitHub has jobs of its own for what a recipe does in one.
  const most = (name.startsWith("github ") ? 63 : 41) + (name.endsWith("dev,prod") ? 12 : 0);
  expect(linesOf(texts[name] ?? "").length).toBeLessThanOrEqual(most);
});

const withShell: Record<string, string> = {
  ...texts,
  action: textOf("actions/review/action.yml"),
  "action comment": textOf("actions/review/comment/action.yml"),
};

test.each(Object.keys(withShell))("no shell of %s decides anything", (name) => {
  const shell = linesOf(withShell[name] ?? "").filter((line) => !/^\s*(-\s*)?if:|\{ if: /.test(line));
  const decides =
    /(^|[;&|{]\s*|run: |script: )(if|case|for|while|until) |\[\[? |\btest -|\bnode -[ep]|\bgrep|\bsed\b|\bawk\b|\bjq\b/;
  expect(shell.filter((line) => decides.test(line))).toEqual([]);
});

test("each command in a recipe has options that the command line knows", () => {
  const limits = action.inputs.limits?.default ?? "";
  const calls = Object.values(texts).flatMap((text) =>
    [
      ...linesOf(text)
        .join("\n")
        .matchAll(/(?:--no-install |\.bin\/)pulumi-cloudvoice ([a-z]+)( [^\n]*)/g),
    ].map(([, command = "", rest = ""]) => ({
      command,
      options: `${rest.split(/ && |; /)[0]} ${limits}`.match(/(?<= )--[a-z-]+/g) ?? [],
    })),
  );
  expect([...new Set(calls.map(({ command }) => command))].sort()).toEqual(["comment", "recordings", "review", "up"]);
  for (const { name, options } of commandLine().commands.map((each) => ({
    name: each.name(),
    options: each.options,
  }))) {
    const used = calls.filter(({ command }) => command === name).flatMap((call) => call.options);
    const known = [...options.map(({ long }) => long), ...(limits.match(/--[a-z-]+/g) ?? [])];
    expect([name, used.filter((option) => !known.includes(option))]).toEqual([name, []]);
  }
});

test.each(github)("workflow %# gives the action the inputs that it has, and those that it needs", ({ jobs }) => {
  const uses = Object.values(jobs).flatMap(({ steps }) =>
    steps.filter((step) => step.uses?.endsWith("actions/cloudvoice")),
  );
  expect(uses.length).toBeGreaterThan(0);
  const needed = Object.keys(action.inputs).filter((input) => action.inputs[input]?.required);
  for (const { with: given = {} } of uses) {
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
    expect(Object.keys(given)).toEqual(expect.arrayContaining(needed));
  }
});

test("each step of the actions has the inputs and outputs of `run`, and only the step Run sees the secrets", () => {
  const secrets = ["api-key", "passphrase", "access-token", "backend-url"];
  const steps = [...action.runs.steps, ...commentAction.runs.steps];
  for (const { name, uses, with: given = {} } of steps.filter((step) => step.uses?.startsWith("$/"))) {
    expect(uses).toBe("$/.github/actions/cloudvoice/run");
    expect(Object.keys(runAction.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
    expect([name, secrets.some((secret) => secret in given)]).toEqual([name, name === "Run"]);
  }
  const outputs = [...textOf("actions/review/action.yml").matchAll(/steps\.plan\.outputs\.(\w+)/g)].map(
    ([, output]) => output,
  );
  expect(Object.keys(runAction.outputs ?? {}).sort()).toEqual([...new Set(outputs)].sort());
  // The token of the job reaches Git and the host only, and no step after the change is installed.
  const withToken = action.runs.steps.filter((step) => JSON.stringify(step).includes("github.token"));
  expect(withToken.map(({ name }) => name)).toEqual(["Plan", "Recordings"]);
  const names = action.runs.steps.map(({ name }) => name);
  expect(names.indexOf("Recordings")).toBeLessThan(names.indexOf("Install"));
});

test.each(github)(
  "workflow %# gives the token that comments to a job that runs nothing of the change, and to no other",
  ({ jobs: { reviewed, ...jobs } }) => {
    expect(reviewed?.permissions ?? {}).toEqual({});
    for (const [job, { permissions, steps }] of Object.entries(jobs)) {
      const isComment = job === "comment";
      const writing = { contents: "read", "pull-requests": "write", actions: "read" };
      expect([job, permissions]).toEqual([job, isComment ? writing : { contents: "read" }]);
      if (isComment) expect(steps.map(({ uses }) => uses)).toEqual(["$/.github/actions/cloudvoice/comment"]);
    }
  },
);

const fork = { head: { repo: { full_name: "stranger/voices" } }, user: { login: "stranger" } };
const manually = (mode: string) => ({ ...events.manual, payload: { ...events.manual.payload, inputs: { mode } } });
const cases: Record<string, Event> = {
  "a pull request": events.pullRequest,
  "a pull request of a fork": { ...events.pullRequest, payload: { ...events.pullRequest.payload, pull_request: fork } },
  "a pull request of Dependabot": {
    ...events.pullRequest,
    payload: {
      ...events.pullRequest.payload,
      pull_request: { ...events.pullRequest.payload.pull_request, user: { login: "dependabot[bot]" } },
    },
  },
  "a merge queue": events.mergeGroup,
  "a merge": events.push,
  "the night": events.nightly,
  "the month": events.monthly,
  "a manual review": manually("review"),
  "a manual update": manually("up"),
  "a manual check for drift": manually("drift"),
};

/** The jobs of a workflow that run for an event, if all that run succeed. */
function jobsFor({ jobs }: typeof forOne, { name: event_name, ref, payload }: Event): string[] {
  const inputs = (payload as { inputs?: object }).inputs ?? {};
  const results: Record<string, { result: string }> = {};
  for (const [job, { if: condition, needs }] of Object.entries(jobs)) {
    const needed = needs === undefined ? {} : { [needs]: results[needs] };
    const contexts = { github: { event_name, ref, event: payload, repository: "team/voices" }, inputs, needs: needed };
    const hasNeeds = needs === undefined || results[needs]?.result === "success";
    results[job] = { result: runs(condition, contexts, { failed: !hasNeeds }) ? "success" : "skipped" };
  }
  return Object.keys(results).filter((job) => results[job]?.result === "success");
}

test.each<[string, jobs: string[], updates?: boolean]>([
  ["a pull request", ["review", "comment", "reviewed"]],
  ["a pull request of a fork", ["reviewed"]],
  ["a pull request of Dependabot", ["reviewed"]],
  ["a merge queue", ["review", "reviewed"]],
  ["a merge", [], true],
  ["the night", ["drift"]],
  ["the month", ["drift"], true],
  ["a manual review", ["review"]],
  ["a manual update", [], true],
  ["a manual check for drift", ["drift"]],
])("for %s these jobs run, by GitHub's evaluator", (what, jobs, updates = false) => {
  const event = cases[what] ?? events.push;
  expect(jobsFor(forOne, event)).toEqual([...jobs, ...(updates ? ["up-prod"] : [])]);
  expect(jobsFor(forTwo, event)).toEqual([...jobs, ...(updates ? ["up-dev", "up-prod"] : [])]);
});

test("one job of a kind runs at a time for each stack, and a check for drift waits in no queue with an update", () => {
  const groupsOf = ({ jobs }: typeof forOne, refs: string[]) =>
    Object.entries(jobs).flatMap(([name, { concurrency, strategy }]) =>
      (strategy?.matrix.stack ?? []).map((stack) => ({
        name,
        groups: new Set(refs.map((ref) => fill(concurrency?.group ?? "", { github: { ref }, matrix: { stack } }))),
        concurrency,
      })),
    );
  for (const workflow of github) {
    const all = groupsOf(workflow, ["refs/pull/7/merge", "refs/pull/8/merge"]);
    // Of two reviews or comments of a pull request, the later one ends the earlier one, so that there is one comment.
    for (const { name, groups, concurrency } of all) {
      const isOfChange = ["review", "comment"].includes(name);
      expect([name, groups.size]).toEqual([name, isOfChange ? 2 : 1]);
      expect(concurrency).toMatchObject({ "cancel-in-progress": isOfChange });
    }
    const texts = all.flatMap(({ groups }) => [...groups]);
    expect(new Set(texts).size).toBe(texts.length);
  }
});

test("the monthly schedule has one text, where it is set and where it is compared", () => {
  const { on } = readPipeline("github", "dev", "prod") as { on: { schedule: { cron: string }[] } };
  const compared = [...pipelineOf("github", "dev", "prod").matchAll(/github\.event\.schedule [!=]= '([^']*)'/g)];
  expect(new Set(compared.map(([, text]) => text))).toEqual(new Set([on.schedule[1]?.cron]));
});

test("with one environment, the secrets are those of the repository", () => {
  for (const job of Object.values(forOne.jobs)) expect(job).not.toHaveProperty("environment");
});

test("dev and prod: every stack is reviewed, and checked for drift, with rights of its own that only read", () => {
  const { jobs } = forTwo;
  const all = { matrix: { stack: ["dev", "prod"] } };
  for (const name of ["review", "drift"])
    expect(jobs[name]).toMatchObject({ strategy: all, environment: "${{ matrix.stack }}-review" });
  expect(jobs.comment?.strategy).toMatchObject(all);
  // The updates have the environments with the rights to write, and prod waits for its reviewers.
  const updates = { dev: "drift", prod: "up-dev" };
  for (const [name, needs] of Object.entries(updates))
    expect(jobs[`up-${name}`]).toMatchObject({
      strategy: { matrix: { stack: [name] } },
      environment: "${{ matrix.stack }}",
      needs,
    });
  // The event decides, but for the check for drift before the update of the month.
  const modeIn = (name: string) => fill(String(jobs[name]?.steps[1]?.with?.mode), { env: jobs[name]?.env ?? {} });
  expect(["review", "drift", "up-dev", "up-prod"].map(modeIn)).toEqual(["", "drift", "", ""]);
});

test("the journal of an update is saved also after a cancel or a failure, and what a review made is published", () => {
  const status = [{}, { failed: true }, { cancelled: true }];
  const last = action.runs.steps.slice(-3);
  const [save, ...uploads] = last.map(
    (step) => (mode: string, state: object) =>
      runs(
        step.if,
        { steps: { plan: { outputs: { mode, publishes: String(mode === "review") } } }, inputs: { journal: "" } },
        state,
      ),
  );
  for (const state of status) {
    expect([save?.("up", state), save?.("review", state)]).toEqual([true, false]);
    for (const upload of uploads) expect([upload("review", state), upload("up", state)]).toEqual([true, false]);
  }
  expect(evaluate("inputs.journal == ''", { inputs: { journal: "s3://b" } })).toBe(false);
});

test("GitLab: only the job that runs nothing of the merge request names the token that comments, and forks are left out", () => {
  expect(JSON.stringify(gitlab)).not.toContain("GITLAB_TOKEN");
  expect(gitlab.note).toMatchObject({
    environment: { name: "review-note", action: "access" },
    variables: { GIT_CHECKOUT: "false" },
  });
  for (const name of ["review", "note"])
    expect(JSON.stringify(gitlab[name]?.rules)).toContain(
      "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_MERGE_REQUEST_PROJECT_ID",
    );
  // An update is of the default branch: after a merge, by a schedule, and by a person who answers a question.
  expect(JSON.stringify(gitlab[".up"]?.rules)).toContain(
    "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $CI_PIPELINE_SOURCE =~ /^(push|web|schedule)$/",
  );
});

test("GitLab: each stack is reviewed with rights that only read, and prod is updated after dev, by a person", () => {
  const recipe = gitlab as Record<string, object>;
  const environment = { name: "$STACK-review", action: "access" };
  expect(recipe[".reads"]).toEqual({ parallel: { matrix: [{ STACK: ["dev", "prod"] }] }, environment });
  for (const name of ["review", "note", "drift"]) expect(recipe[name]).toMatchObject({ extends: ".reads" });
  expect([recipe.review, recipe.drift].some((job) => "environment" in (job ?? {}))).toBe(false);
  expect(recipe[".up"]).toMatchObject({ environment: "$STACK", resource_group: "voices-$PROJECT-$STACK" });
  expect(recipe["up-prod"]).toMatchObject({ extends: ".up", needs: ["up-dev"], when: "manual" });
  expect(gitlabForOne["up-prod"]).toEqual({ extends: ".up", variables: { STACK: "prod" } });
});
