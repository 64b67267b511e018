import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { put, root, temporaryFolder } from "../support/files";
import { action, gitlab, gitlabScript, startPipeline, type Variables } from "../support/pipeline";

/** The recipes from the first push to the nightly job. `test/tools/pipeline-recipes.test.ts` has their form. */

/** A stand-in for the GitHub command line. It finds the page and the comment posted before, and logs its arguments. */
const gh = `echo "$*" | sed 's/@.*/@/' >> gh.log; case "$*" in */artifacts*) echo 97;; *--jq*) [ ! -f posted ] || echo 41;; *POST*) cp "\${7#body=@}" posted;; esac`;

test("GitHub Actions: a push updates the comment, the merge runs up within the limits, drift fails the nightly job", async () => {
  const { temp, shim, runAction, runComment, published, expectLimitsAndDrift } = await startPipeline();
  shim("gh", gh);
  expect(await runAction("Run", "review")).toBe(0);
  for (let pushes = 0; pushes < 2; pushes++) expect(await runComment()).toBe(0);
  const requests = readFileSync(join(temp, "gh.log"), "utf8")
    .split("\n")
    .filter((line) => !line.includes("--jq"));
  expect(requests).toEqual([
    "api --silent --method POST repos/team/voices/issues/7/comments -F body=@",
    "api --silent --method PATCH repos/team/voices/issues/comments/41 -F body=@",
    "",
  ]);
  const summary = join(temp, "summary.md");
  for (const file of [join(temp, "posted"), summary])
    expect(readFileSync(file, "utf8")).toMatch(/^<!-- cloudvoice-review program\/dev -->\n[^]*1 voice to create/);
  expect(readFileSync(join(temp, "posted"), "utf8")).toContain(
    "### Review of `program/dev`\n\n[The page of this review](https://github.com/team/voices/actions/runs/5/artifacts/97)\n\n**1 voice",
  );

  const mode = (name: string) => (more?: Variables) => runAction("Run", name, more);
  await expectLimitsAndDrift(mode("up"), mode("drift"), () => join(published(), "review.md"));
  expect(readFileSync(summary, "utf8")).toMatch(/### Drift of/);
  expect(await runAction("Run", "typo")).toBe(1);
});

test("GitHub Actions: a failed preview fails the job, and the comment reports why", async () => {
  const { stack, runAction, published } = await startPipeline();
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "none.wav" });`);
  expect(await runAction("Run", "review")).toBe(1);
  expect(readFileSync(join(published(), "review.md"), "utf8")).toMatch(/The preview failed[^]*no such file/);
});

test("GitHub Actions: committed files are never published in place of a review, and no link is read", async () => {
  const { stack, temp, shim, runAction, runComment, published } = await startPipeline();
  shim("gh", gh);
  put(stack.folder, "review.md", "<!-- cloudvoice-review program/dev -->\nAll is well");
  symlinkSync("/etc/passwd", join(stack.folder, "review.html"));
  // The packages could not be installed, so no review ran.
  expect([published(), await runComment()]).toEqual(["", 0]);
  expect(existsSync(join(temp, "gh.log"))).toBe(false);

  expect(await runAction("Run", "review")).toBe(0);
  expect(dirname(published())).toBe(temp);
  expect(readdirSync(published()).sort()).toEqual(["review-dev.html", "review.json", "review.md"]);
  for (const name of readdirSync(published())) expect(lstatSync(join(published(), name)).isFile()).toBe(true);
  expect(readFileSync(join(stack.folder, "review.md"), "utf8")).toContain("All is well");
});

test.each([
  ["an empty mark", "\nAll is well"],
  ["another mark", "<!-- other-bot -->\nAll is well"],
  ["a mark with a pattern", `<!-- cloudvoice-review " or true -->\nAll is well`],
])("GitHub Actions: a review with %s updates no comment of others", async (_, text) => {
  const { temp, shim, runComment } = await startPipeline();
  shim("gh", gh);
  put(temp, "folder/review.md", text);
  put(temp, "output", `folder=${join(temp, "folder")}\n`);
  expect(await runComment()).toBe(1);
  rmSync(join(temp, "folder", "review.md"));
  symlinkSync("/etc/passwd", join(temp, "folder", "review.md"));
  expect(await runComment()).toBe(0);
  expect(existsSync(join(temp, "gh.log"))).toBe(false);
});

test("GitHub Actions: the program can't reach the variables, the path and the outputs of later steps", async () => {
  const { stack, temp, runAction, outputOf } = await startPipeline();
  const names = ["GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY", "GH_TOKEN"];
  stack.program(`for (const name of ${JSON.stringify(names)})
    if (process.env[name]) require("fs").appendFileSync(process.env[name], "code=hooked\\n");`);
  expect(await runAction("Run", "review")).toBe(0);
  expect([existsSync(join(temp, "env")), existsSync(join(temp, "path")), outputOf("code")]).toEqual([
    false,
    false,
    undefined,
  ]);
});

test("GitHub Actions: a price that a change lowers is said first, and the limits count with that of the pipeline", async () => {
  const { stack, emulator, runAction, published } = await startPipeline();
  stack.program(`for (let i = 0; i < 12; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`);
  await stack.ok(stack.pulumi("config", "set", "cloudvoice:voicePrice", "0"));
  await stack.ok(stack.pulumi("config", "set", "cloudvoice:imagePrice", "0.0001"));
  expect(await runAction("Run", "up", { LIMITS: "--max-cost 0.05" })).toBe(3);
  expect(await runAction("Run", "up", { LIMITS: "--max-voices 11" })).toBe(3);
  expect(emulator.summary().voicesBilled).toBe(0);

  // Without the price of the pipeline, the review still says that the file has another one.
  expect(await runAction("Run", "review", { LIMITS: "--max-cost 0.05", CLOUDVOICE_VOICE_PRICE: "" })).toBe(0);
  expect(readFileSync(join(published(), "review.md"), "utf8").split("> ")[1]).toContain("!WARNING");
  expect(readFileSync(join(published(), "review.json"), "utf8")).toContain(
    "The stack's configuration sets voicePrice to 0, and the service states 0.01 USD.",
  );
});

test("an update bills no more than the review of its own job has listed, whatever the program asks for then", async () => {
  const { stack, emulator, run, runAction } = await startPipeline();
  stack.program(`
    const count = pulumi.runtime.isDryRun() ? 1 : 12;
    for (let i = 0; i < count; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`);
  expect(await runAction("Run", "up")).not.toBe(0);
  expect(emulator.summary().voicesBilled).toBe(1);
  // The voice of the preview may not have been the first, and is listed again then.
  expect(await run(gitlabScript("up"))).not.toBe(0);
  expect(emulator.summary().voicesBilled).toBeLessThanOrEqual(2);
});

test("GitHub Actions: the packages of a program in Python are installed where Pulumi.yaml says", async () => {
  const { stack, shim, runAction } = await startPipeline();
  shim("npm", `[ "$1" = ci ]`);
  expect(await runAction("Install", "review")).toBe(0);
  expect(existsSync(join(stack.folder, "venv"))).toBe(false);

  put(stack.folder, "requirements.txt", "");
  expect(await runAction("Install", "review")).toBe(0);
  expect(existsSync(join(stack.folder, "venv", "bin", "python"))).toBe(true);
  expect(readFileSync(join(root, "provider/templates/python/Pulumi.yaml"), "utf8")).toContain("virtualenv: venv\n");

  put(stack.folder, "requirements.txt", "./missing\n");
  expect(await runAction("Install", "review")).not.toBe(0);
});

test("GitHub Actions: limits on several lines all hold, a stack may have its full name, and the journal is in the project's folder", async () => {
  const { stack, runAction, outputOf } = await startPipeline();
  stack.program(`new cv.GeneratedImage("image", { model: "svc-image", prompt: "A lighthouse" });`);
  put(stack.folder, "src/index.js", readFileSync(join(stack.folder, "index.js"), "utf8"));
  put(stack.folder, "Pulumi.yaml", "name: program\nruntime: nodejs\nmain: src\n");
  const variables = { STACK: "organization/program/dev", CLOUDVOICE_JOURNAL: ".cloudvoice-journal" };
  expect(await runAction("Run", "up", { ...variables, LIMITS: "--max-cost 5\n--max-image-tasks 0" })).toBe(3);
  expect(await runAction("Run", "up", { ...variables, LIMITS: "--max-cost 5\n--max-image-tasks 1" })).toBe(0);
  expect(outputOf("artifact")).toBe("review-organization-program-dev");
  expect(existsSync(join(stack.folder, ".cloudvoice-journal"))).toBe(true);
  expect(existsSync(join(stack.folder, "src", ".cloudvoice-journal"))).toBe(false);
});

test("GitLab CI: each push updates one review note, the merge runs pulumi up within the limits, drift fails the nightly job", async () => {
  const { stack, run, expectLimitsAndDrift } = await startPipeline(gitlab.variables.LIMITS);
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
      const jobs = [
        { id: 30, name: "build" },
        { id: 31, name: "review" },
      ];
      const found = request.url?.includes("/jobs") ? jobs : notes;
      reply.end(JSON.stringify(request.url?.endsWith("/user") ? { id: 7 } : found));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const variables = {
    CI_API_V4_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`,
    CI_PROJECT_ID: "12",
    CI_PROJECT_URL: "https://gitlab.example/team/voices",
    CI_PIPELINE_ID: "8",
    CI_MERGE_REQUEST_IID: "3",
    GITLAB_TOKEN: "token",
  };
  // Committed in place of what the job publishes.
  const own = put(stack.folder, "own.md", "mine");
  symlinkSync(dirname(own), join(stack.folder, ".cloudvoice-review"));
  try {
    for (let pushes = 0; pushes < 2; pushes++) {
      expect(await run(gitlabScript("review"))).toBe(0);
      expect(await run(gitlabScript("note"), variables)).toBe(0);
    }
    put(stack.folder, ".cloudvoice-review/review.md", "\nno mark");
    expect(await run(gitlabScript("note"), variables)).toBe(1);
  } finally {
    server.close();
  }
  const path = "/api/v4/projects/12/merge_requests/3/notes";
  const lookups = [
    "GET /api/v4/projects/12/pipelines/8/jobs?per_page=100 token",
    "GET /api/v4/user token",
    `GET ${path}?per_page=100&sort=asc token`,
  ];
  expect(requests).toEqual([...lookups, `POST ${path} token`, ...lookups, `PUT ${path}/42 token`]);
  expect(notes[1]?.body).toContain(
    "[The page of this review](https://gitlab.example/team/voices/-/jobs/31/artifacts/file/.cloudvoice-review/review.html)",
  );
  expect(notes[1]?.body).toMatch(/^<!-- cloudvoice-review program\/dev -->\n[^]*1 voice to create/);

  expect([readFileSync(own, "utf8"), readdirSync(join(stack.folder, ".cloudvoice-review")).sort()]).toEqual([
    "mine",
    ["review.html", "review.md"],
  ]);

  const job = (name: string) => (more?: Variables) => run(gitlabScript(name), more);
  await expectLimitsAndDrift(job("up"), job("drift"), () => join(stack.folder, ".cloudvoice-review", "drift.md"));
});

test("a package that is missing is not fetched from the registry, whoever has its name there", async () => {
  const [evil, folder] = [temporaryFolder(), temporaryFolder()];
  const manifest = { name: "pulumi-cloudvoice", version: "9.9.9", bin: { "pulumi-cloudvoice": "run.js" } };
  put(evil, "package.json", JSON.stringify(manifest));
  put(evil, "run.js", `#!/usr/bin/env node\nrequire("fs").writeFileSync("stolen", process.env.CLOUDVOICE_API_KEY);\n`);
  execFileSync("npm", ["pack", "--silent"], { cwd: evil });
  const tarball = readFileSync(join(evil, "pulumi-cloudvoice-9.9.9.tgz"));
  const server = createServer((request, reply) => {
    if (request.url === "/package.tgz") return void reply.end(tarball);
    if (request.url !== "/pulumi-cloudvoice") return void reply.writeHead(404).end();
    const dist = {
      tarball: `${url}/package.tgz`,
      integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
    };
    const versions = { "9.9.9": { ...manifest, dist } };
    reply.end(JSON.stringify({ name: manifest.name, "dist-tags": { latest: "9.9.9" }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, npm_config_registry: url, npm_config_cache: join(folder, "npm") },
    ...{ RUNNER_TEMP: folder, GITHUB_OUTPUT: join(folder, "output"), GITHUB_STEP_SUMMARY: join(folder, "summary") },
    ...{ MODE: "review", STACK: "dev", LIMITS: "", CLOUDVOICE_API_KEY: "k3y-of-the-job" },
  };
  put(folder, "project/package.json", JSON.stringify({ private: true, dependencies: {} }));
  const scripts = [action.runs.steps.find(({ name }) => name === "Run")?.run, gitlabScript("up")];
  for (const script of scripts) {
    const child = spawn("bash", ["-eo", "pipefail", "-c", script ?? ""], {
      cwd: join(folder, "project"),
      env,
      stdio: "ignore",
    });
    expect(await new Promise((resolve) => child.once("close", resolve))).not.toBe(0);
  }
  expect(existsSync(join(folder, "project", "stolen"))).toBe(false);
});
