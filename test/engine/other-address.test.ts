import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { Stack } from "../support/stack";

/** A change of one line of the stack's file, `cloudvoice:baseUrl`, with the real engine and the built command. */

test("a pipeline sends the key to no address of the stack's file", async () => {
  const ours = await emulate();
  let sent = 0;
  const theirs = await inFrontOf(ours, () => {
    sent++;
    return undefined;
  });
  const stack = await Stack.create(ours);
  const code = 'new cv.CloudVoice("a", { targetModel: model, audio: "a.wav" });';
  await stack.ok(stack.program(code).up());
  const [{ outputs = {} } = {}] = await stack.resources();
  expect(outputs.account).toMatch(new RegExp(`^${ours.url} [0-9a-f]{6}$`));

  stack.configure({ "cloudvoice:baseUrl": theirs.url });
  const pipeline = stack.with({ CLOUDVOICE_BASE_URL: "", CI: "true" });
  const refused = /set[\s│]+CLOUDVOICE_BASE_URL/;
  const listing = "exports.all = cv.getVoices().catch(({ message }) => Promise.reject(new pulumi.RunError(message)));";
  for (const program of [code.replace("a.wav", "b.mp3"), listing]) {
    const run = await pipeline.program(program).up();
    expect([run.code === 0, run.output]).toEqual([false, expect.stringMatching(refused)]);
  }
  pipeline.program(code);
  for (const args of [["review"], ["voices"], ["doctor"]]) {
    const { code: ended, stdout, stderr } = await cloudvoice(pipeline, [...args, "--stack", "dev"]);
    expect([args, ended, stdout + stderr]).toEqual([args, 1, expect.stringMatching(refused)]);
  }
  expect(sent).toBe(0);
  await stack.ok(stack.with({ CI: "true" }).up("--expect-no-changes"));
});
