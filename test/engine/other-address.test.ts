import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { put } from "../support/files";
import { inFrontOf } from "../support/in-front";
import { Stack } from "../support/stack";

/** A change of one line of the stack's file, `cloudvoice:baseUrl`, with the real engine and the built command. */

test("a pipeline sends the key to no address of the stack's file that the state does not have, and nobody does without a yes", async () => {
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
  expect(outputs.origin).toBe(ours.url);

  stack.configure({ "cloudvoice:baseUrl": theirs.url });
  const pipeline = stack.with({ CLOUDVOICE_BASE_URL: "", CI: "true" });
  const listed = "exports.all = cv.getVoices().catch(({ message }) => Promise.reject(new pulumi.RunError(message)));";
  for (const run of [
    await pipeline.program(code.replace("a.wav", "b.mp3")).preview(),
    await pipeline.up(),
    await pipeline.program(listed).preview(),
  ])
    expect([run.code === 0, run.output]).toEqual([
      false,
      expect.stringMatching(/set CLOUDVOICE_BASE_URL in the pipeline/),
    ]);
  pipeline.program(code);
  for (const args of [["review"], ["review", "--drift"], ["voices"], ["doctor"]]) {
    const { code: ended, stdout, stderr } = await cloudvoice(pipeline, [...args, "--stack", "dev"]);
    expect([args, ended, stdout + stderr]).toEqual([args, 1, expect.stringMatching(/set\s+CLOUDVOICE_BASE_URL/)]);
  }
  expect(sent).toBe(0);
  stack.configure({ "cloudvoice:baseUrl": ours.url });
  await pipeline.ok(pipeline.up("--expect-no-changes"));

  // As if the voice had been made at a service of the network.
  const state = await stack.pulumi("stack", "export");
  const edited = state.stdout.replaceAll(`"origin": "${ours.url}"`, '"origin": "https://ours.example"');
  await stack.ok(stack.pulumi("stack", "import", "--file", put(stack.folder, "state.json", edited)));
  const moved = stack.with({ CLOUDVOICE_BASE_URL: "https://theirs.example" });
  const refreshed = await moved.refresh();
  const [, id = ""] = /CLOUDVOICE_ACCEPT=(address-[0-9a-f]{16})/.exec(refreshed.output) ?? [];
  expect([refreshed.code === 0, id]).toEqual([false, expect.stringMatching(/^address-/)]);
  const review = await cloudvoice(moved, ["review", "--stack", "dev", "--json"]);
  const { questions } = JSON.parse(review.stdout) as { questions: { id: string; kind: string }[] };
  expect([review.code, questions.map((question) => question.id)]).toEqual([1, [id]]);
});
