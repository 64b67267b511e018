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

/** Reviews a preview that ran before, as a pipeline does. */
async function reviewOf(stack: Stack, ...args: string[]) {
  const { stdout } = await stack.preview("--json", "--show-sames");
  return cloudvoice(stack, ["review", "-", ...args], stdout);
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
});

test("a review sees a gate that will close, a rename and a replaced dependency, as the update then does", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const program = (tone: string, audio: string, key: string, options = "") =>
    stack.program(`
      const questions = { tone: cv.question.choice("Which tone?", { friendly: "Warm", rude: "Impolite" }) };
      const expect = { tone: { choice: "${tone}" } };
      const gate = new cv.Decision("gate", { state: "tone=friendly", questions, expect });
      const options = { deleteBeforeReplace: true, dependsOn: gate };
      const base = new cv.CloudVoice("base", { targetModel: model, audio: "${audio}" }, options);
      new cv.CloudVoice("dependent", { targetModel: model, audio: "a.wav", triggers: [base.voice] });
      new cv.CloudVoice("same", { targetModel: base.targetModel, audio: "a.wav" });
      const voices = { ${key}: { targetModel: model, audio: "c.m4a" } };
      new cv.VoiceCatalog("catalog", { voices }, { ${options} });`);
  await stack.ok(program("friendly", "a.wav", "old").up());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 4, calls: { decide: 1 } });

  const closed = await reviewOf(program("rude", "b.mp3", "old"));
  expect(closed).toMatchObject({ code: 1 });
  expect(closed.stdout).toMatch(
    /^Review of .*\n! gate: the update will stop here: tone: expected rude; the answer is friendly .* Waiting behind it: base, (dependent, same|same, dependent)\.\n/,
  );
  expect(closed.stdout).not.toContain("the update will stop at the decision gate, ");
  expect(emulator.summary()).toMatchObject({ voicesBilled: 4, calls: { decide: 1 } });

  const renamed = await reviewOf(program("friendly", "b.mp3", "fresh"), "--json");
  expect(renamed.code).toBe(2);
  const { charge, changes, notes } = JSON.parse(renamed.stdout) as Review;
  expect(charge.voices).toBe(4);
  const why = Object.fromEntries(changes.map((change) => [change.name, change.why]));
  expect(why["catalog-fresh"]).toMatch(/probably catalog-old under a new name: an alias would be free/);
  expect(why.dependent).toMatch(/triggers takes an output of base, which is deleted before it is replaced/);
  // The engine deletes it before `base`, although its inputs stay the same.
  expect(why.same).toBe("takes an output of base, which is deleted before it is replaced");
  const [, alias = ""] =
    /aliases: (\[.*\]) to its options, with a transform of the catalog$/.exec(notes.join("\n")) ?? [];

  const transform = `({ name, props, opts }) =>
    name === "catalog-fresh" ? { props, opts: pulumi.mergeOptions(opts, { aliases: ${alias} }) } : undefined`;
  program("friendly", "b.mp3", "fresh", `transforms: [${transform}]`);
  await stack.ok(stack.up());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 7, calls: { decide: 1 } });
  expect(emulator.voices()).toHaveLength(4);
});

test("--drift compares state and account in both directions, and a program that has changed is no drift", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const declared = (audio: string) =>
    stack.program(`for (const name of ["a", "b"]) new cv.CloudVoice(name, { targetModel: model, audio: "${audio}" });`);
  await stack.ok(declared("a.wav").up());
  const drift = (...args: string[]) => cloudvoice(stack, ["review", "--drift", ...args]);

  declared("b.mp3");
  expect(await drift()).toMatchObject({ code: 0, stdout: "Drift of program/dev: none\n2 voices in the state.\n" });
  const [a, b] = await stack.resources();
  emulator.vanish("default", String(a?.id));
  const [orphan] = emulator.seedVoices("default", 1, { preferredName: String(b?.outputs?.preferredName) });
  emulator.seedVoices("default", 1);
  const found = await drift("--json", "--save", "drift.md");
  expect(found.code).toBe(2);
  expect(JSON.parse(found.stdout)).toMatchObject({
    held: 2,
    missing: [{ voice: a?.id, urn: a?.urn }],
    orphans: [{ voice: orphan }],
  });
  await stack.ok(stack.with({ CLOUDVOICE_SETTLE_SECONDS: "0" }).refresh());
  expect((await cloudvoice(declared("a.wav"), ["review", "--json"])).stdout).toContain(
    "or missing at the service: the last refresh removed 1 resource from the state",
  );
  expect(readFileSync(join(stack.folder, "drift.md"), "utf8")).toMatch(
    /^### Drift of `program\/dev`: 1 missing, 1 orphaned/,
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
