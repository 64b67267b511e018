import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { Stack, testOfVoices } from "../support/stack";

/**
 * What is not certain is a question, on the real engine: nothing is paid for, deleted or forgotten until a person has said
 * yes, in the environment and with the program unchanged. test/pulumi/questions.test.ts has each kind.
 */

type Spoil = (asked: string, url: string, answer: string) => { status?: number; answer?: string } | undefined;

/** A service whose responses the test spoils. What is refused, it never hears of. */
async function spoiled(settings: Record<string, string> = {}) {
  const emulator = await emulate({ finishAfterPolls: 1 });
  const control: { spoil: Spoil; refuse: (asked: string) => string | undefined } = {
    spoil: () => undefined,
    refuse: () => undefined,
  };
  const service = await inFrontOf(
    emulator,
    ({ request, body, answer }) => control.spoil(body, request.url ?? "", answer),
    ({ body }) => {
      const answer = control.refuse(body);
      return answer === undefined ? undefined : { status: 200, answer };
    },
  );
  const stack = await Stack.create(service, {
    CLOUDVOICE_SETTLE_SECONDS: "0.5",
    CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05",
    ...settings,
  });
  return { emulator, control, stack };
}

const isCall = (body: string, action: string) => body.includes(`"action":"${action}"`);
const idIn = (output: string, kind: string) =>
  new RegExp(`CLOUDVOICE_ACCEPT=(${kind}-[0-9a-f]{16})`).exec(output)?.[1] ?? "";
const refusal = { request_id: "r", count: 0, base_resp: { status_code: 1002, status_msg: "rate limit" } };

testOfVoices(
  "a refusal under the status 200 is no empty account and no delete; the missing voices are a question that a review asks too",
  async () => {
    const { emulator, control, stack } = await spoiled({ CLOUDVOICE_MAX_RETRIES: "0" });
    stack.program(`for (const name of ["a", "b"]) new cv.CloudVoice(name, { targetModel: model, audio: "a.wav" });`);
    await stack.ok(stack.up());
    const billed = () => emulator.summary().voicesBilled;
    expect(billed()).toBe(2);

    // The first list of the run is a refusal in an envelope, then one that nobody can be sure of.
    control.spoil = (body) =>
      isCall(body, "list") ? { answer: JSON.stringify({ ...refusal, voice_list: [] }) } : undefined;
    const refused = await stack.up("--refresh");
    expect([refused.code === 0, /rate limit/.test(refused.output), billed()]).toEqual([false, true, 2]);
    control.spoil = (body) =>
      isCall(body, "list")
        ? { answer: JSON.stringify({ request_id: "r", count: 0, voice_list: [], shards: "2 of 3" }) }
        : undefined;
    const asked = await stack.up("--refresh");
    const id = idIn(asked.output, "missing");
    expect([asked.code === 0, id === "", billed()]).toEqual([false, false, 2]);
    const { code, stdout } = await cloudvoice(stack, ["review", "--json"]);
    const review = JSON.parse(stdout) as Review;
    expect([code, review.questions.map((question) => question.id)]).toEqual([1, [id]]);

    // A delete that is not done is no delete.
    control.spoil = () => undefined;
    control.refuse = (body) => (isCall(body, "delete") ? JSON.stringify(refusal) : undefined);
    const kept = await stack.destroy();
    expect([kept.code === 0, emulator.voices().length]).toEqual([false, 2]);
    expect((await stack.resources()).filter(({ urn }) => urn.includes("CloudVoice"))).toHaveLength(2);
    control.refuse = () => undefined;

    // A person who knows that they are gone says so.
    const before = billed();
    for (const { voice } of emulator.voices()) emulator.vanish("default", voice);
    control.spoil = (body) =>
      isCall(body, "list")
        ? { answer: JSON.stringify({ request_id: "r", count: 0, voice_list: [], shards: "2 of 3" }) }
        : undefined;
    const again = await stack.refresh();
    expect(again.code).not.toBe(0);
    await stack.ok(stack.with({ CLOUDVOICE_ACCEPT: idIn(again.output, "missing") }).refresh());
    control.spoil = () => undefined;
    await stack.ok(stack.up());
    expect(billed()).toBe(before + 2);
    await stack.ok(stack.destroy());
  },
);

test("a task behind a gateway's 404, and a submission that can't be read, are kept and never paid for again by themselves", async () => {
  const { emulator, control, stack } = await spoiled();
  const tasks = () => emulator.summary().tasks;
  stack.program(`new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse" });`);
  control.spoil = (_, url) =>
    url.includes("/tasks/")
      ? { status: 404, answer: JSON.stringify({ error_code: "APIG.0101", error_msg: "The API does not exist" }) }
      : undefined;
  const first = await stack.up();
  expect([first.code === 0, tasks()]).toEqual([false, 1]);
  expect(first.output).toMatch(/The API does not exist.*CLOUDVOICE_ACCEPT=pay-again-.*pulumi up --replace/s);
  const preview = await stack.preview();
  expect(preview.output).toMatch(/CLOUDVOICE_ACCEPT=pay-again-/);
  await stack.up();
  await stack.ok(stack.refresh());
  expect(tasks()).toBe(1);
  control.spoil = () => undefined;
  await stack.ok(stack.up());
  expect(tasks()).toBe(1);

  // The response to the submission can't be read: the id that came is shown, and adoptTask takes it.
  const answers: string[] = [];
  control.spoil = (_, url, answer) => {
    if (!url.endsWith("/image-synthesis")) return undefined;
    answers.push(answer);
    const { output } = JSON.parse(answer) as { output: { task_id: string } };
    return { answer: JSON.stringify({ output: { job: { number: output.task_id } } }) };
  };
  const image = (more: string) => `new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A harbour"${more} });`;
  stack.program(image(""));
  const unread = await stack.up();
  expect([unread.code === 0, tasks()]).toEqual([false, 2]);
  const taskId = (JSON.parse(answers[0] ?? "") as { output: { task_id: string } }).output.task_id;
  expect(unread.output).toContain(taskId);
  expect((await stack.up()).code).not.toBe(0);
  expect(tasks()).toBe(2);
  stack.program(image(`, adoptTask: "${taskId}"`));
  await stack.ok(stack.up());
  expect([tasks(), (await stack.resources()).map(({ id }) => id)]).toEqual([2, expect.arrayContaining([taskId])]);

  // Without the id, a person says whether it is paid for again.
  stack.program(image(`, triggers: [1]`));
  const lost = await stack.up();
  expect([lost.code === 0, tasks()]).toEqual([false, 3]);
  control.spoil = () => undefined;
  const { stdout } = await cloudvoice(stack, ["review", "--json"]);
  const [question] = (JSON.parse(stdout) as Review).questions;
  expect(question?.id).toBe(idIn(lost.output, "pay-again"));
  await stack.ok(stack.with({ CLOUDVOICE_ACCEPT: question?.id ?? "" }).up());
  expect(tasks()).toBe(4);
  await stack.ok(stack.preview("--expect-no-changes"));
  await stack.ok(stack.destroy());
});
