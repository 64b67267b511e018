import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sha256Of } from "../../provider/src/files";
import { getGitLfs } from "../../tools/git-lfs/git-lfs";
import { hasBrowser, launchBrowser, playersIn } from "../support/browser";
import { put, recordings, temporaryFolder } from "../support/files";
import { gitServer } from "../support/git-server";
import { action, gitlab, startPipeline } from "../support/pipeline";

/** A pull request that overwrites recordings, from a real repository to the page that its pipeline publishes. */

const token = "t0ken-of-the-job";
const [plainBefore, plainAfter, lfsBefore, lfsAfter] = [
  recordings.wav,
  recordings.mp3,
  recordings.m4a,
  recordings.otherMp3,
].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer, Buffer];

/**
 * The project of a pipeline after its first update, in a repository on a server. Its branch `change` overwrites a recording in
 * Git and one in LFS. The working copy is the one that a runner makes of it: of depth 1, with the files of LFS.
 */
async function pullRequest() {
  const pipeline = await startPipeline();
  const { stack, shim, temp } = pipeline;
  shim("git-lfs", `exec "${getGitLfs()}" "$@"`);
  stack.program(`
    new cv.CloudVoice("plain", { targetModel: model, audio: "voices/plain.wav" });
    new cv.CloudVoice("large", { targetModel: model, audio: "voices/large.wav" });`);
  put(stack.folder, "voices/plain.wav", plainBefore);
  put(stack.folder, "voices/large.wav", lfsBefore);
  await stack.ok(stack.up());

  const folder = temporaryFolder();
  const server = await gitServer(folder, token);
  const [bare, author] = [join(folder, "team", "voices.git"), temporaryFolder()];
  const git = (cwd: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "filter.lfs.required=false", ...args], {
      cwd,
      stdio: "pipe",
    })
      .toString()
      .trim();
  mkdirSync(bare, { recursive: true });
  git(bare, "init", "--quiet", "--bare");
  for (const setting of ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"])
    git(bare, "config", setting, "true");
  git(author, "init", "--quiet", "--initial-branch=main");
  for (const name of ["index.js", "Pulumi.yaml", "package.json"]) cpSync(join(stack.folder, name), join(author, name));
  put(author, ".gitattributes", "voices/large.wav filter=lfs -text\n");
  put(author, "voices/plain.wav", plainBefore);
  put(author, "voices/large.wav", server.store(lfsBefore));
  const commit = (message: string) => (git(author, "add", "--all"), git(author, "commit", "--quiet", "-m", message));
  commit("voices");
  for (let before = 0; before < 3; before++) {
    put(author, "notes", String(before));
    commit("notes");
  }
  git(author, "push", "--quiet", bare, "main");

  git(author, "checkout", "--quiet", "-b", "change");
  put(author, "voices/plain.wav", plainAfter);
  put(author, "voices/large.wav", server.store(lfsAfter));
  // What a stranger's branch may bring. All of it is ignored.
  const stolen = join(temp, "stolen");
  put(author, ".lfsconfig", `[lfs]\n\turl = ${server.origin}/stolen\n`);
  put(author, ".gitattributes", `* filter=stolen\n*.wav filter=stolen -text\n`);
  put(author, "git-lfs", `#!/bin/sh\ntouch ${stolen}\n`);
  chmodSync(join(author, "git-lfs"), 0o755);
  commit("other recordings");
  git(author, "push", "--quiet", bare, "change");

  // As actions/checkout makes it.
  git(stack.folder, "init", "--quiet");
  git(stack.folder, "fetch", "--quiet", "--depth=1", pathToFileURL(bare).href, "change");
  git(stack.folder, "checkout", "--quiet", "--force", "FETCH_HEAD");
  put(stack.folder, "voices/large.wav", lfsAfter);
  for (const [name, command] of [
    ["core.fsmonitor", `touch '${stolen}'`],
    ["filter.stolen.smudge", `touch '${stolen}'`],
  ] as const)
    git(stack.folder, "config", name, command);
  expect(git(stack.folder, "rev-list", "--count", "HEAD")).toBe("1");

  const variables = {
    ...{ REPOSITORY: `${server.origin}/team/voices.git`, LOGIN: `x-access-token:${token}`, FOLDER: "." },
    ...{ BASE: "refs/heads/main", CHANGE: git(author, "rev-parse", "change") },
  };
  return { ...pipeline, server, variables, stolen };
}

const hashes = (buffers: Buffer[]) => buffers.map(sha256Of).sort();

/** The recordings inside a page. */
const heardIn = (page: string) =>
  [...page.matchAll(/href="data:audio[^"]*?base64(?:,|&#x2C;)([^"]*)"/g)].map(([, text = ""]) =>
    Buffer.from(text.replaceAll("&#x2F;", "/").replaceAll("&#x3D;", "="), "base64"),
  );

const commandOf = (name: string) =>
  execFileSync("sh", ["-c", `command -v ${name}`])
    .toString()
    .trim();

const scriptOf = (name: string) => action.runs.steps.find((step) => step.name === name)?.run ?? "exit 99";

test("the page of a pull request alone plays both recordings of an overwritten file, of Git and of LFS", async () => {
  const { server, variables, run, runAction, outputOf, published, stolen, temp } = await pullRequest();
  // No variable of the service, of Pulumi or of the stack is there, as the action has it.
  const empty = { CLOUDVOICE_API_KEY: "", PULUMI_CONFIG_PASSPHRASE: "" };
  const files = { RUNNER_TEMP: temp, GITHUB_OUTPUT: join(temp, "output") };
  expect(await run(scriptOf("Recordings"), { ...files, ...empty, ...variables })).toBe(0);
  const fetched = outputOf("folder") ?? "";
  expect(readdirSync(fetched).sort()).toEqual(hashes([plainBefore, lfsBefore]));
  expect(existsSync(stolen)).toBe(false);
  expect(server.requests.join("\n")).not.toMatch(/stolen|the store got the token/);

  const asked = server.requests.length;
  server.close();
  expect(await runAction("Run", "review", { RECORDINGS: fetched })).toBe(0);
  expect(server.requests).toHaveLength(asked);
  expect(readdirSync(published()).sort()).toEqual(["review-dev.html", "review.json", "review.md"]);
  const comment = readFileSync(join(published(), "review.md"), "utf8");
  expect(comment).toContain(
    "**Other recordings.** The page of this review plays both.\n\n- `large`: 14.5 s → 11.7 s\n- `plain`: 13.7 s → 14.3 s\n",
  );

  // Only the page leaves the runner.
  const elsewhere = temporaryFolder();
  const page = join(elsewhere, "review-dev.html");
  cpSync(join(published(), "review-dev.html"), page);
  rmSync(published(), { recursive: true });
  rmSync(fetched, { recursive: true });
  const html = readFileSync(page, "utf8");
  expect(hashes(heardIn(html))).toEqual(hashes([plainBefore, plainAfter, lfsBefore, lfsAfter]));
  expect(html).not.toMatch(/(href|src)="(?!data:)[^"#]/);

  if (!hasBrowser) return;
  const browser = await launchBrowser();
  try {
    const tab = await browser.newPage();
    await tab.goto(pathToFileURL(page).href);
    for (const name of ["plain", "large"]) {
      const row = tab.locator(".row", { hasText: name });
      await row.locator("summary").click();
      expect(await playersIn(row)).toHaveLength(2);
    }
    if (process.env.SCREENSHOT) await tab.screenshot({ path: process.env.SCREENSHOT, fullPage: true });
    const seconds = await tab.evaluate(`new Promise((resolve, reject) => {
      const player = document.querySelector("audio[src^='data:audio/wav']");
      player.onloadedmetadata = () => resolve(player.duration);
      player.onerror = () => reject(player.error);
      player.load();
    })`);
    expect(seconds).toBeCloseTo(13.74, 1);
  } finally {
    await browser.close();
  }
});

test("without the old recordings, the page says so, and no player in it is dead", async () => {
  const { runAction, published } = await pullRequest();
  const none = temporaryFolder();
  expect(await runAction("Run", "review", { RECORDINGS: none })).toBe(0);
  const html = readFileSync(join(published(), "review-dev.html"), "utf8");
  expect(hashes(heardIn(html))).toEqual(hashes([plainAfter, lfsAfter]));
  const shallow = "It is not in the part of the history that this clone has: `git fetch --unshallow` fetches the rest.";
  const inPage = `<em>${shallow.replaceAll("`", "&#x60;")}</em>`;
  expect(html.match(/<em>[^<]*<\/em>/g)).toEqual([inPage, inPage]);
  expect(readFileSync(join(published(), "review.md"), "utf8")).toContain(
    `- \`plain\`: 13.7 s → 14.3 s (now: ${shallow.replaceAll("`", "&#96;")})`,
  );
});

test("where a page may not contain people's voices, page and comment say so, and name the command that plays both", async () => {
  const { runAction, published } = await pullRequest();
  expect(await runAction("Run", "review", { RECORDINGS: "" })).toBe(0);
  const html = readFileSync(join(published(), "review-dev.html"), "utf8");
  expect(html).not.toMatch(/data:audio|(href|src)="/);
  expect(html).toMatch(
    /may not contain people's voices[^]*<code>npx --no-install pulumi-cloudvoice review --open --stack dev</,
  );
  expect(readFileSync(join(published(), "review.md"), "utf8")).toContain(
    "**Other recordings.** The page may not contain people's voices: `npx --no-install pulumi-cloudvoice review --open --stack dev` plays both",
  );
});

test("the recipes for GitHub and GitLab fetch recordings by the same text, and GitLab's job has no key then", async () => {
  const after = (text: string, mark: string) => {
    const lines = text.slice(text.indexOf(mark)).split("\n").slice(1);
    const end = lines.findIndex((line) => line.includes("rm -rf ../git"));
    return lines.slice(0, end + 1).map((line) => line.trim());
  };
  const [script = ""] = (gitlab.review as unknown as { before_script: string[] }).before_script;
  expect(after(script, "# From here on")).toEqual(after(scriptOf("Recordings"), "# From here on"));

  const { server, variables, run, stack, shim } = await pullRequest();
  const ci = {
    ...{
      CI_PROJECT_VISIBILITY: "private",
      CI_PROJECT_URL: `${server.origin}/team/voices`,
      CI_COMMIT_SHA: variables.CHANGE,
    },
    ...{ CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main", CI_JOB_TOKEN: token, TMPDIR: temporaryFolder() },
  };
  shim("git", `[ -z "$CLOUDVOICE_API_KEY" ] || exit 99; exec "${commandOf("git")}" "$@"`);
  expect(await run(`${script}\nls $RECORDINGS > listed`, ci)).toBe(0);
  expect(readFileSync(join(stack.folder, "listed"), "utf8").trim().split("\n").sort()).toEqual(
    hashes([plainBefore, lfsBefore]),
  );
  expect(await run(`${script}\necho "[$RECORDINGS]" > listed`, { ...ci, CI_PROJECT_VISIBILITY: "public" })).toBe(0);
  expect(readFileSync(join(stack.folder, "listed"), "utf8")).toBe("[]\n");
});
