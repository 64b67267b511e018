import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { invariants } from "../support/invariants";
import { Stack } from "../support/stack";

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
      new cv.GeneratedImage("k", { model: "svc-image", prompt: "p", saveTo: pulumi.secret("canary of the folder") });
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
  expect((await cloudvoice(stack, ["review", ...saved.flatMap((name) => ["--save", name])])).code).toBe(0);
  await stack.up("--continue-on-error");
  for (const args of [["voices", "--orphans", "--json"], ["doctor"]]) await cloudvoice(stack, args);
  emulator.revokeKey(emulator.apiKey);
  expect((await cloudvoice(stack, ["voices"])).code).toBe(1);
  await stack.refresh();
  emulator.giveKey("default", emulator.apiKey);
  await stack.ok(stack.destroy());
});
