import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { copy, recordings, root, temporaryFolder } from "../support/files";
import { outputOf, Stack } from "../support/stack";

/** What a review prints and saves, by the built command. */

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
  expect(await piped("review preview.json --format json")).toEqual(["", "ended with 0", "{"]);

  emulator.seedVoices("default", 100, { preferredName: "by_hand" });
  const deleted = await piped("delete --prefix by_hand --yes");
  expect(deleted).toEqual(["", "100 voices deleted.", expect.stringMatching(/^deleted: /), "ended with 0"]);
  expect(emulator.voices()).toEqual([]);
});

test("no form shows a recording's absolute path, nor the key, a token or a secret that the program prints", async () => {
  const stack = await Stack.create(await emulate(), { CI_JOB_TOKEN: "t0ken-of-the-job" });
  const secret = "s3cret-of-the-stack";
  await stack.ok(stack.pulumi("config", "set", "--secret", "program:other", secret));
  const elsewhere = temporaryFolder();
  copy(recordings.mp3, elsewhere, "b.mp3");
  stack.program(`
    console.log("key", process.env.CLOUDVOICE_API_KEY, process.env.CI_JOB_TOKEN);
    console.log("in base64", Buffer.from(process.env.CLOUDVOICE_API_KEY).toString("base64"));
    console.log("config", ${JSON.stringify(secret)});
    const paths = ${JSON.stringify([join(stack.folder, "a.wav"), join(elsewhere, "b.mp3")])};
    paths.map((audio, index) => new cv.CloudVoice("voice" + index, { targetModel: model, audio }));
    new cv.GeneratedImage("image", { model: "svc-image", prompt: "A".repeat(190) + process.env.CLOUDVOICE_API_KEY });`);
  const saved = ["review.md", "review.html", "review.json", "review.txt"];
  const { stdout } = await cloudvoice(stack, ["review", ...saved.flatMap((file) => ["--save", file])]);
  const known = [stack.env.CLOUDVOICE_API_KEY ?? "", "t0ken-of-the-job", secret];
  for (const form of [stdout, ...saved.map((file) => readFileSync(join(stack.folder, file), "utf8"))]) {
    expect(form).toContain("[secret]");
    for (const value of known)
      for (const text of [value, value.slice(0, 12), Buffer.from(value).toString("base64")])
        expect(form.replace(/<[^>]+>|&#\d+;/g, "")).not.toContain(text);
    expect(form).toContain("a.wav");
    for (const folder of [stack.folder, elsewhere])
      expect(form.includes(`"${folder}`) || form.includes(` ${folder}`)).toBe(false);
  }
});
