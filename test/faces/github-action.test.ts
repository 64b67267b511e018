import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { put } from "../support/files";
import { callsOf, limits, startJob } from "../support/job";
import { events } from "../support/runner";

/**
 * The action for GitHub on a stand-in of a runner, with the real engine. The form of the recipes:
 * `test/tools/pipeline-recipes.test.ts`.
 */

const name = "review-program@dev";
const ranWithSecrets = ({ ran }: { ran: string[] }) => ran.includes("Run");

test("a pull request is reviewed and commented by the default branch's release, a merge updates in limits, drift fails", async () => {
  const { emulator, stack, runner, job, comment, target, installs } = await startJob();
  // Otherwise the list may not show a voice as new as that of this test, so a person would be asked.
  stack.configure({ "cloudvoice:settleSeconds": "0" });
  // Its author may choose the branch that it goes to.
  const pullRequest = { ...events.pullRequest, baseRef: "of-the-author" };
  expect(await job(pullRequest)).toMatchObject({ result: "success" });
  const { [name]: review, [`${name}.html`]: page } = runner.all();
  expect(review?.["review.md"]).toContain("1 voice to create");
  expect(Object.keys(review ?? {}).sort()).toEqual(["review.json", "review.md"]);
  expect(Object.keys(page ?? {})).toEqual([`${name}.html`]);
  expect(readFileSync(runner.summary, "utf8")).toContain("1 voice to create");
  // First the packages of the default branch, then those of the change.
  expect(installs()).toEqual(["ci --ignore-scripts", "ci --ignore-scripts"]);
  const isRelease = (file: string) => file.startsWith(".cloudvoice-release");
  expect(readdirSync(runner.workspace).filter(isRelease)).toEqual([]);

  expect(await comment(pullRequest)).toMatchObject({ result: "success" });
  const [recordings, posted] = callsOf(target);
  // Run again alone, it posts the review of the first attempt.
  await comment(pullRequest, "2");
  expect(callsOf(target)).toHaveLength(3);
  expect(recordings?.args.slice(0, 2)).toEqual(["recordings", "--to"]);
  expect(recordings?.args.slice(3)).toEqual(["--publish", "auto", "--folder", "."]);
  expect(posted?.args.slice(0, 2)).toEqual(["comment", "--review"]);
  expect(posted?.args.slice(3)).toEqual(["--project", "program", "--stack", "dev"]);
  for (const call of [recordings, posted]) {
    // Nothing of the change is in the folder, or above it.
    expect(existsSync(join(call?.cwd ?? "", "package.json"))).toBe(false);
    expect(call?.cwd.startsWith(runner.workspace)).toBe(false);
    expect(call?.names).toContain("GITHUB_TOKEN");
    expect(call?.names.filter((each) => /^(CLOUDVOICE|PULUMI|ACTIONS|INPUT)_|GITHUB_(ENV|OUTPUT)/.test(each))).toEqual(
      [],
    );
  }

  expect(await job(events.push, { limits: limits.replace(/cost=\d+/, "cost=0") })).toMatchObject({
    result: "failure",
  });
  expect(emulator.summary().voicesBilled).toBe(0);
  expect(await job(events.push)).toMatchObject({ result: "success" });
  expect(emulator.summary().voicesBilled).toBe(1);
  expect(runner.caches.map(({ key }) => key)).toEqual([`journal-${name}@5-1`]);

  expect(await job(events.nightly)).toMatchObject({ result: "success" });
  const [made] = emulator.voices();
  // A list without any voice would be asked about.
  emulator.seedVoices("default", 1);
  emulator.vanish("default", made?.voice ?? "");
  const drift = await job(events.nightly);
  expect(drift).toMatchObject({ result: "failure" });
  expect(drift.log).toMatch(/1 voice to create[^]*missing at the service[^]*exited with 2/);
  expect(await job(events.monthly)).toMatchObject({ result: "success" });
  expect(emulator.summary().voicesBilled).toBe(2);
});

test("a manual run is billed only if it states an update; other events end before anything is installed", async () => {
  const { emulator, job, installs } = await startJob();
  const { manual, pullRequest } = events;
  const stated = { ...manual, payload: { ...manual.payload, inputs: { mode: "up" } } };
  for (const event of [
    { ...pullRequest, name: "pull_request_target", ref: "refs/heads/main" },
    { ...stated, ref: "refs/heads/change" },
  ]) {
    const refused = await job(event);
    expect(refused).toMatchObject({ result: "failure", ran: ["Plan"] });
    expect(refused.log).toContain(`event ${event.name} `);
  }
  expect(installs()).toEqual([]);

  const reviewed = await job(manual);
  expect(reviewed.log).toContain("leads to: review");
  expect([reviewed.result, emulator.summary().voicesBilled]).toEqual(["success", 0]);
  expect(await job(stated)).toMatchObject({ result: "success" });
  expect(emulator.summary().voicesBilled).toBe(1);
});

test("a run that waited until its branch had a newer commit updates nothing, unless it states that it goes back", async () => {
  const { emulator, job, tip, installs, runner } = await startJob();
  tip.sha = "1".repeat(40);
  const old = await job(events.push);
  expect(old).toMatchObject({ result: "failure", ran: ["Plan"] });
  expect(old.log).toContain(`the branch main is at ${tip.sha}`);
  expect(old.log).toContain("Run the job of the newest commit, or state `older: true`");
  expect(installs()).toEqual([]);
  // A review and a check for drift are of any commit, and bill nothing.
  expect(await job(events.nightly)).toMatchObject({ result: "success" });
  expect(emulator.summary().voicesBilled).toBe(0);

  expect(await job(events.push, { older: "true" })).toMatchObject({ result: "success" });
  expect(emulator.summary().voicesBilled).toBe(1);
  expect(runner.caches).toHaveLength(1);
});

test("a failed preview fails the job, and what is published reports why", async () => {
  const { stack, job, runner } = await startJob();
  stack.program(`new cv.CloudVoice("v", { targetModel: model, audio: "none.wav" });`);
  expect(await job(events.pullRequest)).toMatchObject({ result: "failure" });
  expect(runner.published(name)["review.md"]).toMatch(/This review is incomplete[^]*none\.wav.* does not exist/);
});

test("a program that prints and saves its environment publishes no token of the runner, and no command to it", async () => {
  const { stack, runner, job } = await startJob();
  stack.program(`
    const names = ["GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY", "GITHUB_TOKEN", "GH_TOKEN"];
    const seen = Object.keys(process.env).filter((name) => names.includes(name) || /^(ACTIONS|INPUT)_/.test(name));
    require("fs").writeFileSync("seen", JSON.stringify(seen));
    console.log("::add-mask::review\\n::set-output name=folder::/etc");
    new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });`);
  const { result, log } = await job(events.pullRequest);
  expect(result).toBe("success");
  expect(JSON.parse(readFileSync(join(stack.folder, "seen"), "utf8"))).toEqual([]);
  expect(Object.keys(runner.published(name)).sort()).toEqual(["review.json", "review.md"]);
  // No line is a command, but those of the action itself around what it runs.
  const commands = log.split("\n").filter((line) => /^\s*::/.test(line));
  expect(commands.filter((line) => !/^::(stop-commands::)?[0-9a-f-]{36}(::)?$/.test(line))).toEqual([]);
});

test("no package of the change runs a script when it is installed, unless the job says so", async () => {
  const { stack, job, bin, installs } = await startJob();
  const ran = join(bin, "ran");
  const folder = "dep-1.0";
  put(stack.folder, "requirements.txt", "--no-index\n--find-links .\ndep\n");
  const project = "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n";
  put(stack.folder, `${folder}/pyproject.toml`, project);
  put(stack.folder, `${folder}/PKG-INFO`, "Metadata-Version: 2.1\nName: dep\nVersion: 1.0\n");
  put(stack.folder, `${folder}/backend.py`, `open(${JSON.stringify(ran)}, "a").write("ran")`);
  execFileSync("tar", ["-czf", `${folder}.tar.gz`, folder], { cwd: stack.folder });

  const installed = await job(events.nightly);
  expect(installed.log).toContain("No matching distribution found for dep");
  expect([installed.result, existsSync(ran)]).toEqual(["failure", false]);
  await job(events.nightly, { "install-scripts": "true" });
  expect([installs(), existsSync(ran)]).toEqual([["ci --ignore-scripts", "ci"], true]);
});

test("a committed link does not lead into the checkout of the change", async () => {
  const { stack, job, runner, target } = await startJob();
  symlinkSync(".", join(stack.folder, ".cloudvoice-release"));
  put(target.folder, "index.js", "// No voice.");
  expect(await job(events.pullRequest)).toMatchObject({ result: "success" });
  expect(runner.published(name)["review.md"]).toContain("1 voice to create");
});

test("committed files are never published in place of a review", async () => {
  const { stack, runner, job, comment, target } = await startJob();
  put(stack.folder, "review.md", "<!-- cloudvoice-review program/dev -->\nAll is well");
  rmSync(join(stack.folder, "index.js"));
  writeFileSync(join(stack.folder, "Pulumi.yaml"), "name: program\nruntime: none\n");
  expect(await job(events.pullRequest, { recordings: "no" })).toMatchObject({ result: "failure" });
  expect(JSON.stringify(runner.all())).not.toContain("All is well");
  rmSync(join(runner.temp, "artifacts"), { recursive: true, force: true });
  runner.artifacts.splice(0);
  const commented = await comment();
  expect(commented.log).toContain("did not publish a review, so there is nothing to post");
  expect(callsOf(target)).toEqual([]);
});

test("without the package in the default branch nothing is fetched and nothing posted, and both say so", async () => {
  const { job, comment, target } = await startJob();
  rmSync(join(target.folder, "node_modules"), { recursive: true });
  const review = await job(events.pullRequest);
  expect(review).toMatchObject({ result: "success" });
  expect(review.log).toContain("The default branch does not have pulumi-cloudvoice yet");
  expect((await comment()).log).toContain("so the review is not posted");
  rmSync(join(target.folder, "Pulumi.yaml"));
  const first = await comment();
  expect(first).toMatchObject({ result: "success" });
  expect(first.log).toContain("has no Pulumi.yaml");
});

test("GitHub Enterprise Server gets no artifact that it does not offer, with a line, and the review is in the summary", async () => {
  const { job, runner } = await startJob();
  const { result, ran, log } = await job({ ...events.pullRequest, server: "https://github.acme.example" });
  expect(result).toBe("success");
  expect(ran.filter((step) => step.includes("artifact"))).toEqual([]);
  expect(log).toContain("::notice::This server does not support actions/upload-artifact");
  expect(readFileSync(runner.summary, "utf8")).toContain("1 voice to create");
});

test("with a PULUMI_OPTION_ that changes an update, review and update are refused with its name, and nothing is changed", async () => {
  const { job, runner, emulator } = await startJob();
  runner.environment.PULUMI_OPTION_CONFIG_FILE = "other";
  for (const event of [events.pullRequest, events.push]) {
    const { result, log } = await job(event);
    expect(result).toBe("failure");
    expect(log).toContain("PULUMI_OPTION_CONFIG_FILE is set");
  }
  expect(emulator.ledger()).toEqual([]);
});

test("a price that a change lowers is said first, and the limits count with that of the pipeline", async () => {
  const { stack, emulator, job, runner } = await startJob();
  stack.program(`for (let i = 0; i < 12; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`);
  await stack.ok(stack.pulumi("config", "set", "cloudvoice:voicePrice", "0"));
  await stack.ok(stack.pulumi("config", "set", "cloudvoice:imagePrice", "0.0001"));
  const over = { limits: "--limit\n  voices=11,cost=5" };
  expect((await job(events.push, over)).log).toContain("exited with 3");
  expect(emulator.summary().voicesBilled).toBe(0);

  // Without the price of the pipeline, the review still says that the file has another one.
  expect(await job(events.pullRequest, { limits: "--limit cost=0.05", "voice-price": "" })).toMatchObject({
    result: "success",
  });
  expect(runner.published(name)["review.md"]?.split("> ")[1]).toContain("!WARNING");
  expect(runner.published(name)["review.json"]).toContain(
    "The stack's configuration sets voicePrice to 0, and the service states 0.01 USD.",
  );
});

test("an update bills no more than the review of its own job has listed, whatever the program asks for then", async () => {
  const { stack, emulator, job } = await startJob();
  stack.program(`
    const count = pulumi.runtime.isDryRun() ? 1 : 12;
    for (let i = 0; i < count; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });`);
  expect(await job(events.push)).toMatchObject({ result: "failure" });
  expect(emulator.summary().voicesBilled).toBe(1);
});

test("a stack may have its full name, and the journal is in the project's folder", async () => {
  const { stack, job, runner } = await startJob();
  stack.program(`new cv.GeneratedImage("image", { model: "svc-image", prompt: "A lighthouse" });`);
  put(stack.folder, "src/index.js", readFileSync(join(stack.folder, "index.js"), "utf8"));
  put(stack.folder, "Pulumi.yaml", "name: program\nruntime: nodejs\nmain: src\n");
  const full = { stack: "organization/program/dev" };
  expect(await job(events.pullRequest, full)).toMatchObject({ result: "success" });
  expect(runner.artifacts.map((artifact) => artifact.name)).toEqual([name, `${name}.html`]);
  expect(await job(events.push, full)).toMatchObject({ result: "success" });
  expect(existsSync(join(stack.folder, ".cloudvoice-journal"))).toBe(true);
  expect(existsSync(join(stack.folder, "src", ".cloudvoice-journal"))).toBe(false);
});

test("without the address of a backend the state is in Pulumi Cloud, and a change chooses no other backend", async () => {
  const { stack, job } = await startJob();
  put(stack.folder, "Pulumi.yaml", `name: program\nruntime: nodejs\nbackend: { url: "file://${stack.folder}" }\n`);
  const { result, log } = await job(events.pullRequest, { "backend-url": "", recordings: "no" });
  expect(result).toBe("failure");
  expect(log).toContain("Pulumi is not logged in to a backend");
});

test("the packages of a program in Python are installed where Pulumi.yaml says", async () => {
  const { stack, job } = await startJob();
  put(stack.folder, "requirements.txt", "");
  expect(await job(events.nightly)).toMatchObject({ result: "success" });
  expect(existsSync(join(stack.folder, "venv", "bin", "python"))).toBe(true);
  put(stack.folder, "requirements.txt", "./missing\n");
  const failed = await job(events.nightly);
  expect(failed).toMatchObject({ result: "failure" });
  expect(ranWithSecrets(failed)).toBe(false);
});

test("without the package in the project nothing runs, and no registry is asked for it", async () => {
  const { stack, job, emulator } = await startJob();
  rmSync(join(stack.folder, "node_modules"));
  const { result, log } = await job(events.push);
  expect(result).toBe("failure");
  expect(log).toContain("does not have the package pulumi-cloudvoice");
  expect(emulator.ledger()).toEqual([]);
});
