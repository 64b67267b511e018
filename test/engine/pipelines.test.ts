import { spawn } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parse } from "yaml";
import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { put, root } from "../support/files";
import { Stack } from "../support/stack";

/** Runs the scripts in `docs/pipelines` unchanged. Only the commands of the CI services are replaced. */

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

interface Recipe {
  env: { LIMITS: string };
  variables: { LIMITS: string };
  jobs: Record<string, { steps: { name?: string; run?: string }[] }>;
}

function recipe(name: string): Recipe & Record<string, { script: string[] }> {
  const parsed = parse(readFileSync(join(root, "docs", "pipelines", name), "utf8")) as ReturnType<typeof recipe>;
  limits = (parsed.env ?? parsed.variables).LIMITS;
  return parsed;
}

/** The update honours the limits, and the nightly job fails when a voice disappears. Both scripts are of one recipe. */
async function expectLimitsAndDrift(up: string, drift: string): Promise<void> {
  expect(await run(up, { LIMITS: limits.replace(/--max-cost \S+/, "--max-cost 0") })).not.toBe(0);
  expect(emulator.summary().voicesBilled).toBe(0);
  expect(await run(up)).toBe(0);
  expect(emulator.summary().voicesBilled).toBe(1);

  expect(await run(drift)).toBe(0);
  emulator.vanish("default", emulator.voices()[0]?.voice ?? "");
  expect(await run(drift)).toBe(2);
  expect(readFileSync(join(stack.folder, "drift.md"), "utf8")).toMatch(/: 1 missing, 0 orphaned/);
}

test("GitHub Actions: a push updates the comment, the merge runs up within the limits, drift fails the nightly job", async () => {
  const { jobs } = recipe("github.yml");
  const script = (job: string, name: string) => jobs[job]?.steps.find((step) => step.name === name)?.run ?? "missing";
  // A stand-in for the GitHub command line. It finds the comment posted before, and logs its arguments.
  shim(
    "gh",
    `echo "$*" >> gh.log; case "$*" in *--jq*) [ ! -f posted ] || echo 41;; *POST*) cp review.md posted;; esac`,
  );
  const variables = { GITHUB_REPOSITORY: "team/voices", PULL_REQUEST: "7", GH_TOKEN: "token" };

  for (let pushes = 0; pushes < 2; pushes++) {
    expect(await run(script("review", "Review"))).toBe(0);
    expect(await run(script("review", "Comment"), variables)).toBe(0);
  }
  const requests = readFileSync(join(stack.folder, "gh.log"), "utf8")
    .split("\n")
    .filter((line) => !line.includes("--jq"));
  expect(requests).toEqual([
    "api --silent --method POST repos/team/voices/issues/7/comments -F body=@review.md",
    "api --silent --method PATCH repos/team/voices/issues/comments/41 -F body=@review.md",
    "",
  ]);
  expect(readFileSync(join(stack.folder, "posted"), "utf8")).toMatch(
    /^<!-- cloudvoice-review program\/dev -->\n[^]*1 voice to create/,
  );

  await expectLimitsAndDrift(script("up", "Up"), script("drift", "Drift"));
  const summary = join(stack.folder, "summary.md");
  expect(await run(script("drift", "Summary"), { GITHUB_STEP_SUMMARY: summary })).toBe(0);
  expect(readFileSync(summary, "utf8")).toMatch(/^### Drift of/);
});

test("GitHub Actions: a failed preview fails the job, and the comment reports why", async () => {
  const { jobs } = recipe("github.yml");
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "none.wav" });`);
  expect(await run(jobs.review?.steps.find((step) => step.name === "Review")?.run ?? "missing")).not.toBe(0);
  expect(readFileSync(join(stack.folder, "review.md"), "utf8")).toMatch(/The preview failed[^]*no such file/);
});

test("GitLab CI: each push updates one review note, the merge runs pulumi up within the limits, drift fails the nightly job", async () => {
  const jobs = recipe("gitlab.yml");
  // The first note has the text of a review, but another author.
  const notes = [{ id: 1, body: "<!-- cloudvoice-review program/dev -->\nLooks good", author: { id: 5 } }];
  const requests: string[] = [];
  const gitlab = createServer((request, reply) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      requests.push(`${request.method ?? ""} ${request.url ?? ""} ${String(request.headers["private-token"])}`);
      const text = new URLSearchParams(body).get("body") ?? "";
      if (request.method === "POST") notes.push({ id: 42, body: text, author: { id: 7 } });
      reply.end(JSON.stringify(request.url?.endsWith("/user") ? { id: 7 } : notes));
    });
  });
  await new Promise<void>((resolve) => gitlab.listen(0, "127.0.0.1", resolve));
  const variables = {
    CI_API_V4_URL: `http://127.0.0.1:${(gitlab.address() as AddressInfo).port}/api/v4`,
    CI_PROJECT_ID: "12",
    CI_MERGE_REQUEST_IID: "3",
    GITLAB_TOKEN: "token",
  };
  try {
    for (let pushes = 0; pushes < 2; pushes++)
      expect(await run(jobs.review?.script.join("\n") ?? "missing", variables)).toBe(0);
  } finally {
    gitlab.close();
  }
  const path = "/api/v4/projects/12/merge_requests/3/notes";
  const lookups = ["GET /api/v4/user token", `GET ${path}?per_page=100&sort=asc token`];
  expect(requests).toEqual([...lookups, `POST ${path} token`, ...lookups, `PUT ${path}/42 token`]);
  expect(notes[1]?.body).toMatch(/^<!-- cloudvoice-review program\/dev -->\n[^]*1 voice to create/);

  const script = (job: string) => jobs[job]?.script.join("\n") ?? "missing";
  await expectLimitsAndDrift(script("up"), script("drift"));
});
