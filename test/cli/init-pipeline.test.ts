import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { linesOf, put, root, temporaryFolder } from "../support/files";
import { pipelineOf } from "../support/pipeline";
import { run } from "./command";

/** `init --pipeline`: what it writes, what it prints, and when it writes nothing. */

/** A project with its package in the folder, in a repository of its own. */
function project({ spec = "file:pulumi-cloudvoice-0.1.0.tgz", isInGit = true } = {}): string {
  const folder = temporaryFolder();
  put(folder, "Pulumi.yaml", "name: program\nruntime: nodejs\n");
  put(folder, "package.json", JSON.stringify({ dependencies: { "pulumi-cloudvoice": spec } }));
  put(folder, "package-lock.json", "{}");
  if (isInGit) put(folder, ".git/config", '[remote "origin"]\n');
  return folder;
}

/** The files in a folder, by path. */
const filesOf = (folder: string, at = folder): Record<string, string> =>
  Object.assign(
    {},
    ...readdirSync(at, { withFileTypes: true }).map((entry) => {
      const path = join(at, entry.name);
      return entry.isDirectory() ? filesOf(folder, path) : { [relative(folder, path)]: readFileSync(path, "utf8") };
    }),
  ) as Record<string, string>;

/** The printed steps: the number, the sentence and the command of each, which may have several lines. */
const stepsIn = (out: string) =>
  [...out.matchAll(/^(\d+)\. (.+)\n {3}(.+(?:\n {3}.+)*)$/gm)].map(([, number, what = "", command = ""]) => ({
    ...{ number: Number(number), what, command },
  }));
const init = async (folder: string, ...args: string[]) => {
  const { out } = await run("init", folder, ...args);
  return { out, steps: stepsIn(out) };
};
const commandsOf = async (folder: string, ...args: string[]) =>
  (await init(folder, ...args)).steps.map(({ command }) => command);

test("for GitHub, the workflow and the action are written, and a second run finds them", async () => {
  const folder = project();
  await init(folder, "--pipeline", "github");
  const { ".github/workflows/voices.yml": workflow, ...files } = filesOf(folder);
  expect(workflow).toBe(pipelineOf("github", "prod"));
  const action = filesOf(join(root, "actions", "review"));
  for (const [name, text] of Object.entries(action)) expect(files[`.github/actions/cloudvoice/${name}`]).toBe(text);
  expect(Object.keys(action).sort()).toEqual(["action.yml", "comment/action.yml", "run/action.yml", "run/index.js"]);
  expect(Object.keys(files)).toHaveLength(4 + Object.keys(filesOf(project())).length);

  const before = filesOf(folder);
  expect((await init(folder, "--pipeline", "github")).out).toContain("All files are there already");
  expect(filesOf(folder)).toEqual(before);
});

test("for GitLab, one file is written, which names the project and installs its language", async () => {
  const folder = project();
  put(folder, "requirements.txt", "");
  await init(folder, "--pipeline", "gitlab", "--environments", "dev,prod");
  const text = readFileSync(join(folder, ".gitlab-ci.yml"), "utf8");
  expect(text).toContain('PROJECT: "program"');
  expect(text).toContain("venv/bin/pip install");
  expect(pipelineOf("gitlab", "dev", "prod")).not.toContain("venv/bin/pip install");
  expect(existsSync(join(folder, ".github"))).toBe(false);
});

test("the small set-up for GitHub takes four commands in a repository that has a remote, and one more before", async () => {
  const folder = project();
  const commands = await commandsOf(folder, "--pipeline", "github");
  const [stacks, secrets, ruleset, change, ...others] = commands;
  expect(stacks).toBe("pulumi login https://api.pulumi.com &&\n   pulumi stack init prod");
  expect(secrets?.split(/ &&\n +/)).toEqual([
    ...["gh secret set PULUMI_ACCESS_TOKEN", "gh secret set CLOUDVOICE_API_KEY", "gh variable set CLOUDVOICE_BASE_URL"],
  ]);
  expect(ruleset).toMatch(/"context":"reviewed".*gh api .*'repos\/\{owner\}\/\{repo\}\/rulesets'/);
  expect(change).toMatch(/^git switch --create pipeline &&\n +git add \.github &&\n[^]* &&\n +gh pr create --fill$/);
  expect(others).toEqual([]);
  for (const config of [undefined, "[core]\n"]) {
    const local = project({ isInGit: false });
    if (config !== undefined) put(local, ".git/config", config);
    const [first, ...rest] = await commandsOf(local, "--pipeline", "github");
    expect(first).toMatch(
      /^git init --initial-branch main && git add \. ':!\.github' ':!\.gitlab-ci\.yml' &&\n[^]* gh repo create --private/,
    );
    expect(rest).toEqual(commands);
  }
  // In a worktree or a submodule, `.git` is a file, and the repository is elsewhere.
  const worktree = project({ isInGit: false });
  put(worktree, ".git", "gitdir: ../elsewhere/.git/worktrees/voices\n");
  expect(await commandsOf(worktree, "--pipeline", "github")).toEqual(commands);
});

test("the small set-up for GitLab takes six commands, and no secret is on a command line", async () => {
  const { steps } = await init(project({ isInGit: false }), "--pipeline", "gitlab");
  expect(steps.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  const lines = steps.flatMap(({ command }) => command.split("\n"));
  const stored = lines.flatMap((line) => /\| *(?:\n *)?glab variable set (\w+)/.exec(line)?.[1] ?? []);
  expect(stored).toEqual(["PULUMI_ACCESS_TOKEN", "CLOUDVOICE_API_KEY", "CLOUDVOICE_BASE_URL", "GITLAB_TOKEN"]);
});

test("a package that the runner could not install is a problem, whose command is quoted for a shell", async () => {
  for (const spec of ["file:/a b/it's.tgz", "file:../it's.tgz"])
    await expect(init(project({ spec }), "--pipeline", "github")).rejects.toThrow(
      / && npm install '\.\/it'\\''s\.tgz'`/,
    );
  const folder = project();
  rmSync(join(folder, "package-lock.json"));
  await expect(init(folder, "--pipeline", "github")).rejects.toThrow(/needs package-lock\.json.*`npm install`/);
});

test("each of two environments has secrets of its own, and the last one has a reviewer, on both hosts", async () => {
  const github = await commandsOf(project(), "--pipeline", "github", "--environments", "dev,prod");
  expect(github[0]).toMatch(/pulumi stack init dev &&\n +pulumi stack init prod$/);
  const secretsOf = (scope: string) =>
    ["PULUMI_ACCESS_TOKEN", "CLOUDVOICE_API_KEY"].map((name) => `gh secret set ${name} --env ${scope}`);
  expect(github.filter((command) => command.startsWith("gh secret"))).toEqual(
    ["dev", "dev-review", "prod", "prod-review"].map((scope) => secretsOf(scope).join(" &&\n   ")),
  );
  const environments = github.filter((command) => command.includes("/environments/"));
  expect(environments.map((command) => command.includes('"reviewers[][id]=$(gh api user --jq .id)"'))).toEqual([
    ...[false, true],
  ]);
  for (const command of environments)
    expect(command).toMatch(/custom_branch_policies\]=true[^]*deployment-branch-policies[^]*-review'$/);

  const gitlab = await commandsOf(project(), "--pipeline", "gitlab", "--environments", "dev,prod");
  const keys = gitlab
    .flatMap((command) => command.split(" &&\n"))
    .filter((line) => line.includes("CLOUDVOICE_API_KEY"));
  expect(keys.map((command) => command.split("--masked ")[1])).toEqual([
    ...["--protected --scope dev", "--scope dev-review", "--protected --scope prod", "--scope prod-review"],
  ]);
});

test.each(["github", "gitlab"])(
  "the commands for %s run as they are printed, and the pull request adds only the pipeline",
  async (host) => {
    const [origin, bin] = [temporaryFolder(), temporaryFolder()];
    const folder = project({ isInGit: false });
    execFileSync("git", ["init", "--quiet", "--bare", origin]);
    const stub = (name: string, script: string) => chmodSync(put(bin, name, `#!/bin/bash\n${script}\n`), 0o755);
    // Each prints how it was called and what it read. The command after this one then gets that.
    const log = join(bin, "log");
    const logged = `case "$*" in *"--input -"|"variable set"*) body=$(cat) ;; esac; echo "$0 $* $body" | sed "s,$(dirname $0)/,," >> "${log}"`;
    const created = `case "$*" in "repo create"*) git remote add origin "${origin}"; git push --quiet origin main ;; "api user"*) echo 42 ;; "token create"*) echo t0ken ;; esac`;
    for (const name of ["gh", "glab", "pulumi"]) stub(name, `${logged}\n${created}`);

    const commands = await commandsOf(folder, "--pipeline", host, "--environments", "dev,prod");
    const author = {
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b.c",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b.c",
    };
    const env = { PATH: `${bin}:${process.env.PATH ?? ""}`, HOME: bin, ...author };
    for (const command of commands)
      execFileSync("bash", ["-euo", "pipefail", "-c", command], {
        cwd: folder,
        env,
        input: "pasted\n".repeat(3),
        stdio: "pipe",
      });

    const added = (range: string) =>
      execFileSync("git", ["diff", "--name-only", ...range.split(" ")], { cwd: origin, encoding: "utf8" })
        .trim()
        .split("\n");
    const empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    expect(added(`${empty} main`)).toEqual(["Pulumi.yaml", "package-lock.json", "package.json"]);
    const pipeline = host === "github" ? /^\.github\// : /^\.gitlab-ci\.yml$/;
    expect(added("main pipeline").filter((name) => !pipeline.test(name))).toEqual([]);
    const calls = linesOf(log);
    expect(calls).toEqual(expect.arrayContaining(["pulumi stack init dev ", "pulumi stack init prod "]));
    if (host === "gitlab") {
      expect(calls).toContain("glab variable set CLOUDVOICE_API_KEY --raw --masked --protected --scope prod pasted");
      expect(calls).toContain("glab variable set GITLAB_TOKEN --raw --masked --scope review-note t0ken");
      return;
    }
    expect(calls).toContain(
      "gh api --silent --method PUT repos/{owner}/{repo}/environments/prod -F deployment_branch_policy[protected_branches]=false " +
        "-F deployment_branch_policy[custom_branch_policies]=true -f reviewers[][type]=User -F reviewers[][id]=42 ",
    );
    const [ruleset = ""] = calls.flatMap((call) => /^gh api .*rulesets --input - (.*)$/.exec(call)?.[1] ?? []);
    expect(JSON.parse(ruleset)).toMatchObject({ name: "voices", enforcement: "active" });
  },
);

test("all problems are reported at once, with the names of the files, and nothing is written", async () => {
  const folder = project();
  put(folder, ".github/workflows/voices.yml", "mine");
  put(folder, ".github/actions/cloudvoice/run/index.js", "mine");
  const before = filesOf(folder);
  const failed = init(folder, "--pipeline", "github");
  await expect(failed).rejects.toThrow(/^Nothing was written\. .*workflows\/voices\.yml exists with other content/);
  await expect(failed).rejects.toThrow(".github/actions/cloudvoice/run/index.js exists with other content");
  expect(filesOf(folder)).toEqual(before);
});

test.each([
  ["dev,", /"" has|has ""/],
  ["dev, prod", /has " prod"\./],
  ["dev,$(id)", /has "\$\(id\)"\./],
  ["-prod", /has "-prod"\./],
  ["dev,Dev", /the name dev twice/],
  ["dev,dev-review", /the name dev-review twice/],
])("the environments %s are refused", async (names, message) => {
  const folder = project();
  const before = filesOf(folder);
  await expect(init(folder, "--pipeline", "github", `--environments=${names}`)).rejects.toThrow(message);
  expect(filesOf(folder)).toEqual(before);
});

test("without a project, without the package, or below the top of the repository, the error says what to do", async () => {
  const empty = temporaryFolder();
  await expect(init(empty, "--pipeline", "github", "--environments", "a,a")).rejects.toThrow(
    /has no Pulumi project\. Write one with `init`.* the name a twice/,
  );
  expect(readdirSync(empty)).toEqual([]);
  const folder = project();
  writeFileSync(join(folder, "package.json"), "{}");
  await expect(init(folder, "--pipeline", "gitlab")).rejects.toThrow("package.json does not have pulumi-cloudvoice");

  const top = temporaryFolder();
  mkdirSync(join(top, ".git"));
  const below = join(top, "voices");
  put(below, "Pulumi.yaml", "name: program\nruntime: nodejs\n");
  await expect(init(below, "--pipeline", "gitlab")).rejects.toThrow(/top folder of the repository.* in voices\./);
  await expect(init(folder, "--environments", "dev")).rejects.toThrow("--environments needs --pipeline");
});

test("nothing is written through a link", async () => {
  const [folder, elsewhere] = [project(), temporaryFolder()];
  symlinkSync(elsewhere, join(folder, ".github"));
  await expect(init(folder, "--pipeline", "github")).rejects.toThrow(".github is a symbolic link");
  expect(readdirSync(elsewhere)).toEqual([]);
});
