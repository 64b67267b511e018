import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { invariants } from "../support/invariants";
import { Stack } from "../support/stack";

test("the set-up of the tests reports what a run shows and writes: each violation is planted", async () => {
  const stack = await Stack.create(await emulate());
  stack.program(`
    const secret = pulumi.secret("planted-canary-1");
    console.log(["planted", "canary", "1 \\u001b[2J"].join("-"));
    const fs = require("node:fs");
    fs.writeFileSync("b.mp3", "");
    fs.writeFileSync(require("node:os").homedir() + "/.config/planted", "");
    fs.rmSync(process.env.HOME + "/.ssh/id_rsa", { force: true });
    pulumi.log.info(process.env.CLOUDVOICE_API_KEY);
    exports.planted = "\\u202e";
  `);
  await stack.ok(stack.up());
  const found = invariants.take().join("\n");
  expect(found).toMatch(/^the output of `up .*` shows a secret input/m);
  expect(found).toMatch(/^the output of `up .*` shows the key/m);
  expect(found).toMatch(/^the output of `up .*` has the control character/m);
  expect(found).toMatch(/^a run changed b\.mp3$/m);
  expect(found).toMatch(/^a run wrote ~\/\.config\/planted$/m);
  expect(found).toMatch(/^a run deleted ~\/\.ssh\/id_rsa$/m);
  expect(found).toMatch(/^\.local\/state\/.*json has the control character/m);
});

test("from a hostile service no run shows its control characters, and none shows the key, secret inputs or a signature", async () => {
  const emulator = await emulate({ hostile: true });
  const stack = await Stack.create(emulator, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.01" });
  const signature = "canary-of-the-signature-9Zq";
  invariants.keepSecret("the signature of a URL", signature);
  emulator.seedVoices("default", 2);
  const program = (last: string) =>
    stack.program(`
      new cv.CloudVoice("v", { targetModel: model, audio: "a.wav", text: pulumi.secret("canary of the text") });
      new cv.CloudVoice("url", {
        targetModel: model,
        audio: pulumi.secret("https://audio.example/a.wav?X-Amz-Signature=${signature}"),
      });
      new cv.GeneratedImage("i", { model: "svc-image", prompt: pulumi.secret("canary of the prompt"), saveTo: "out" });
      new cv.Decision("d", { state: pulumi.secret("canary of the state"), questions: { q: cv.question.noul("?") } });
      ${last}`);
  program("");
  await stack.up();
  // A text that does not match, and a task that fails: the service quotes both.
  program(`
    new cv.CloudVoice("w", { targetModel: model, audio: "b.mp3", text: pulumi.secret("canary: does not match") });
    new cv.GeneratedImage("j", { model: "svc-image", prompt: pulumi.secret("[fail] canary of the other prompt") });
  `);
  const saved = ["review.html", "review.md", "review.txt", "review.json"];
  expect((await cloudvoice(stack, ["review", ...saved.flatMap((name) => ["--save", name])])).code).toBe(2);
  await stack.up("--continue-on-error");
  for (const args of [["voices", "--orphans", "--json"], ["doctor"]]) await cloudvoice(stack, args);
  emulator.revokeKey(emulator.apiKey);
  expect((await cloudvoice(stack, ["voices"])).code).toBe(1);
  await stack.refresh();
  emulator.giveKey("default", emulator.apiKey);
  await stack.ok(stack.destroy());
});
