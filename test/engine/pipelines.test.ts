import { spawn } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parse } from "yaml";
import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { put, root } from "../support/files";
import { Stack } from "../support/stack";

/** Runs the scripts of the recipes and of the action unchanged. Only the commands of the CI services are replaced. */

let emulator: Emulator;
let stack: Stack;
/** What the recipe under test declares. */
let limits: string;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator, { STACK: "dev" });
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`);
  // The name of the command must be the package's own: npx asks the registry for any other.
  shim(
    "npx",
    `[ "$1" = pulumi-cloudvoice ] || exit 99; shift; exec "${process.execPath}" "${join(root, "provider", "dist", "cli.js")}" "$@"`,
  );
});

/** Puts a command on the PATH of the scripts. */
function shim(name: string, script: string): void {
  chmodSync(put(join(stack.folder, "bin"), name, `#!/bin/sh\n${script}\n`), 0o755);
}

/** Runs a script as both CI services do: the first command that fails ends it. */
function run(script: string, variables: Record<string, string> = {}): Promise<number | null> {
  const env = {
    ...stack.env,
    LIMITS: limits,
    ...variables,
    PATH: `${join(stack.folder, "bin")}:${stack.env.PATH ?? ""}`,
  };
  const child = spawn("bash", ["-eo", "pipefail", "-c", script], { cwd: stack.folder, env, stdio: "ignore" });
  return new Promise((resolve) => child.once("close", resolve));
}

interface Step {
  name?: string;
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}

interface Action {
  inputs: Record<string, { default?: string; required?: boolean }>;
  runs: { steps: Step[] };
}

const read = (path: string) => parse(readFileSync(join(root, path), "utf8"), { merge: true }) as unknown;
const action = read("actions/review/action.yml") as Action;

/** A script of the action for GitHub, in a job of this mode. */
function runAction(step: "Run" | "Comment", mode: string, variables: Record<string, string> = {}) {
  limits = action.inputs.limits?.default ?? "";
  const script = action.runs.steps.find(({ name }) => name === step)?.run ?? "exit 99";
  const files = {
    GITHUB_STEP_SUMMARY: join(stack.folder, "summary.md"),
    GITHUB_OUTPUT: join(stack.folder, "output"),
  };
  const absent = { CLOUDVOICE_JOURNAL: "", CLOUDVOICE_ROTATED_FROM: "", PULUMI_ACCESS_TOKEN: "" };
  return run(script, { ...files, ...absent, MODE: mode, ...variables });
}

function gitlab(): Record<string, { script: string[] }> & { variables: { LIMITS: string } } {
  const parsed = read("docs/pipelines/gitlab.yml") as ReturnType<typeof gitlab>;
  limits = parsed.variables.LIMITS;
  return parsed;
}

/** The update honours the limits, and the nightly job fails when a voice disappears. Both scripts are of one recipe. */
async function expectLimitsAndDrift(
  up: (variables?: Record<string, string>) => Promise<number | null>,
  drift: () => Promise<number | null>,
  saved: string,
): Promise<void> {
  expect(await up({ LIMITS: limits.replace(/--max-cost \S+/, "--max-cost 0") })).not.toBe(0);
  expect(emulator.summary().voicesBilled).toBe(0);
  expect(await up()).toBe(0);
  expect(emulator.summary().voicesBilled).toBe(1);

  expect(await drift()).toBe(0);
  emulator.vanish("default", emulator.voices()[0]?.voice ?? "");
  expect(await drift()).not.toBe(0);
  expect(readFileSync(join(stack.folder, saved), "utf8")).toMatch(/: 1 missing, 0 orphaned/);
}

test("GitHub Actions: a push updates the comment, the merge runs up within the limits, drift fails the nightly job", async () => {
  // A stand-in for the GitHub command line. It finds the comment posted before, and logs its arguments.
  shim(
    "gh",
    `echo "$*" >> gh.log; case "$*" in *--jq*) [ ! -f posted ] || echo 41;; *POST*) cp review.md posted;; esac`,
  );
  const variables = { GITHUB_REPOSITORY: "team/voices", PULL_REQUEST: "7", GH_TOKEN: "token" };
  for (let pushes = 0; pushes < 2; pushes++) {
    expect(await runAction("Run", "review")).toBe(0);
    expect(await runAction("Comment", "review", variables)).toBe(0);
  }
  const requests = readFileSync(join(stack.folder, "gh.log"), "utf8")
    .split("\n")
    .filter((line) => !line.includes("--jq"));
  expect(requests).toEqual([
    "api --silent --method POST repos/team/voices/issues/7/comments -F body=@review.md",
    "api --silent --method PATCH repos/team/voices/issues/comments/41 -F body=@review.md",
    "",
  ]);
  const summary = join(stack.folder, "summary.md");
  for (const file of [join(stack.folder, "posted"), summary])
    expect(readFileSync(file, "utf8")).toMatch(/^<!-- cloudvoice-review program\/dev -->\n[^]*1 voice to create/);

  const mode = (name: string) => (more?: Record<string, string>) => runAction("Run", name, more);
  await expectLimitsAndDrift(mode("up"), mode("drift"), "review.md");
  expect(readFileSync(summary, "utf8")).toMatch(/### Drift of/);
  expect(await runAction("Run", "typo")).toBe(1);
});

test("GitHub Actions: a failed preview fails the job, and the comment reports why", async () => {
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "none.wav" });`);
  expect(await runAction("Run", "review")).toBe(1);
  expect(readFileSync(join(stack.folder, "review.md"), "utf8")).toMatch(/The preview failed[^]*no such file/);
});

test.each(["github.yml", "github-dev-prod.yml"])(
  "%s gives the action the inputs that it has, and those that it needs",
  (name) => {
    const { jobs } = read(`docs/pipelines/${name}`) as { jobs: Record<string, { steps: Step[] }> };
    const uses = Object.values(jobs).flatMap(({ steps }) =>
      steps.filter((step) => step.uses?.endsWith("actions/review")),
    );
    expect(uses).toHaveLength(Object.keys(jobs).length);
    const needed = Object.keys(action.inputs).filter((input) => action.inputs[input]?.required);
    for (const { with: given = {} } of uses) {
      expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
      expect(Object.keys(given)).toEqual(expect.arrayContaining(needed));
    }
  },
);

test("the recipe for GitHub has 25 lines, and every action of others is pinned by its commit", () => {
  expect(
    readFileSync(join(root, "docs/pipelines/github.yml"), "utf8").trimEnd().split("\n").length,
  ).toBeLessThanOrEqual(25);
  const files = ["docs/pipelines/github.yml", "docs/pipelines/github-dev-prod.yml", "actions/review/action.yml"];
  const workflows = [".github/workflows/ci.yml", ".github/workflows/release.yml"];
  for (const file of [...files, ...workflows]) {
    const used = [...readFileSync(join(root, file), "utf8").matchAll(/^\s*-?\s*uses: (.*)$/gm)].map(
      ([, name = ""]) => name,
    );
    expect(used.filter((name) => !/^[\w/-]+@[0-9a-f]{40} # v\d|^\$\//.test(name))).toEqual([]);
  }
});

test("GitLab CI: each push updates one review note, the merge runs pulumi up within the limits, drift fails the nightly job", async () => {
  const jobs = gitlab();
  // The first note has the text of a review, but another author.
  const notes = [{ id: 1, body: "<!-- cloudvoice-review program/dev -->\nLooks good", author: { id: 5 } }];
  const requests: string[] = [];
  const server = createServer((request, reply) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      requests.push(`${request.method ?? ""} ${request.url ?? ""} ${String(request.headers["private-token"])}`);
      const text = new URLSearchParams(body).get("body") ?? "";
      if (request.method === "POST") notes.push({ id: 42, body: text, author: { id: 7 } });
      reply.end(JSON.stringify(request.url?.endsWith("/user") ? { id: 7 } : notes));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const variables = {
    CI_API_V4_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`,
    CI_PROJECT_ID: "12",
    CI_MERGE_REQUEST_IID: "3",
    GITLAB_TOKEN: "token",
  };
  try {
    for (let pushes = 0; pushes < 2; pushes++)
      expect(await run(jobs.review?.script.join("\n") ?? "missing", variables)).toBe(0);
  } finally {
    server.close();
  }
  const path = "/api/v4/projects/12/merge_requests/3/notes";
  const lookups = ["GET /api/v4/user token", `GET ${path}?per_page=100&sort=asc token`];
  expect(requests).toEqual([...lookups, `POST ${path} token`, ...lookups, `PUT ${path}/42 token`]);
  expect(notes[1]?.body).toMatch(/^<!-- cloudvoice-review program\/dev -->\n[^]*1 voice to create/);

  const script = (job: string) => jobs[job]?.script.join("\n") ?? "missing";
  const job = (name: string) => (more?: Record<string, string>) => run(script(name), more);
  await expectLimitsAndDrift(job("up"), job("drift"), "drift.md");
});
