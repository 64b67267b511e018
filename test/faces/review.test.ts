import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { catalogExample } from "../support/example";
import { copy, recordings, root, temporaryFolder } from "../support/files";
import { outputOf, Stack } from "../support/stack";

/** Runs the built command on the example and compares the review with what the update then does. */

async function example() {
  const emulator = await emulate();
  return { emulator, ...(await catalogExample(emulator, { compiled: true })) };
}

test("no form of a review shows the absolute path of a recording", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const elsewhere = temporaryFolder();
  copy(recordings.mp3, elsewhere, "b.mp3");
  const voice = (name: string, path: string) =>
    `new cv.CloudVoice("${name}", { targetModel: model, audio: ${JSON.stringify(path)} });`;
  stack.program(voice("inside", join(stack.folder, "a.wav")) + voice("outside", join(elsewhere, "b.mp3")));
  const saved = ["review.md", "review.html", "review.json"];
  const { stdout } = await cloudvoice(stack, ["review", ...saved.flatMap((name) => ["--save", name])]);
  for (const form of [stdout, ...saved.map((name) => readFileSync(join(stack.folder, name), "utf8"))]) {
    expect(form).toContain("a.wav");
    for (const folder of [stack.folder, elsewhere])
      expect(form.includes(`"${folder}`) || form.includes(` ${folder}`)).toBe(false);
  }
});

test("all four forms report a new recording, a new voice and a removed voice of the example, as the ledger then shows", async () => {
  const { emulator, stack, languages } = await example();
  await stack.ok(stack.up());

  copy(recordings.otherMp3, join(stack.folder, "examples", "catalog", "audio"), "narrator-en.wav");
  const program = join(stack.folder, "examples", "catalog", "index.js");
  writeFileSync(program, readFileSync(program, "utf8").replace(/ {2}"support-en": .*\n/, ""));
  languages("en", "de");

  const run = await cloudvoice(stack, [
    "review",
    "--save",
    "review.md",
    "--save",
    "review.html",
    "--save",
    "review.json",
  ]);
  expect(run.code).toBe(2);
  const file = (name: string) => readFileSync(join(stack.folder, name), "utf8");
  for (const form of [run.stdout, file("review.md"), file("review.html")]) {
    expect(form).toContain("1 voice to create, 1 to replace, 1 to delete");
    expect(form).toContain("at most $0.02 for 2 voices");
    expect(form).toContain("2 now, 4 at the peak, 2 after, of 1000");
    expect(form).toMatch(/audio[^]*13\.7 s,[^]*df4ac9a\)[^]*→/);
  }
  const reviewed = JSON.parse(file("review.json")) as Review;
  expect(reviewed).toMatchObject({
    complete: true,
    charge: { atMost: 0.02, voices: 2, imageTasks: 0, decisions: 0 },
    quota: { now: 2, peak: 4, after: 2, limit: 1000 },
    others: [],
  });
  expect(reviewed.changes.map(({ action, name }) => `${action} ${name}`)).toEqual([
    "create voices-narrator-de",
    "replace voices-narrator-en",
    "delete voices-support-en",
  ]);

  const before = emulator.ledger().length;
  await stack.ok(stack.up());
  const { voicesBilled, charge } = emulator.summary("default", before);
  expect({ voicesBilled, charge, left: emulator.voices().length }).toEqual({
    voicesBilled: reviewed.charge.voices,
    charge: reviewed.charge.atMost,
    left: 2,
  });

  // The engine's history says what a refresh removed.
  emulator.vanish("default", String(emulator.voices()[0]?.voice));
  await stack.ok(stack.with({ CLOUDVOICE_SETTLE_SECONDS: "0" }).refresh());
  expect((await cloudvoice(stack, ["review", "--json"])).stdout).toContain(
    "the last refresh removed 1 resource from the state",
  );
});

test("a pipe that is closed early is not an error, and no command ends before its work is done", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  copy(join(root, "test", "cli", "golden", "preview.json"), stack.folder, "preview.json");
  const piped = async (args: string) => {
    const command = `"${process.execPath}" "${join(root, "provider", "dist", "cli.js")}" ${args}`;
    const script = `{ ${command}; echo "ended with $?" >&2; } | head -1`;
    const child = spawn("sh", ["-c", script], { cwd: stack.folder, env: stack.env });
    const output = outputOf(child);
    await new Promise((resolve) => child.once("close", resolve));
    return output().split("\n").sort();
  };
  expect(await piped("review preview.json --json")).toEqual(["", "ended with 1", "{"]);

  emulator.seedVoices("default", 100, { preferredName: "by_hand" });
  const deleted = await piped("delete --prefix by_hand --yes");
  expect(deleted).toEqual(["", "100 voices deleted.", expect.stringMatching(/^deleted: /), "ended with 0"]);
  expect(emulator.voices()).toEqual([]);
});

test("a program that prints the key, a token of the job or a secret of the configuration does not publish them", async () => {
  const stack = await Stack.create(await emulate(), { CI_JOB_TOKEN: "t0ken-of-the-job" });
  const secret = "s3cret-of-the-stack";
  await stack.ok(stack.pulumi("config", "set", "--secret", "program:other", secret));
  stack.program(`
    console.log("key", process.env.CLOUDVOICE_API_KEY, process.env.CI_JOB_TOKEN);
    console.log("in base64", Buffer.from(process.env.CLOUDVOICE_API_KEY).toString("base64"));
    console.log("config", ${JSON.stringify(secret)});
    new cv.GeneratedImage("image", { model: "svc-image", prompt: "A".repeat(190) + process.env.CLOUDVOICE_API_KEY });`);
  const saved = ["review.md", "review.html", "review.json", "review.txt"];
  const { stdout } = await cloudvoice(stack, ["review", ...saved.flatMap((file) => ["--save", file])]);
  const known = [stack.env.CLOUDVOICE_API_KEY ?? "", "t0ken-of-the-job", secret];
  for (const form of [stdout, ...saved.map((file) => readFileSync(join(stack.folder, file), "utf8"))]) {
    expect(form).toContain("[secret]");
    for (const value of known)
      for (const text of [value, value.slice(0, 12), Buffer.from(value).toString("base64")])
        expect(form.replace(/<[^>]+>|&#\d+;/g, "")).not.toContain(text);
  }
});
