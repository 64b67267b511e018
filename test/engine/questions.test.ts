import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { Stack } from "../support/stack";

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

test("voices that an uncertain list lacks are a question that a review asks too, and a refused delete is no delete", async () => {
  const { emulator, control, stack } = await spoiled({ CLOUDVOICE_MAX_RETRIES: "0" });
  stack.program(`for (const name of ["a", "b"]) new cv.CloudVoice(name, { targetModel: model, audio: "a.wav" });`);
  await stack.ok(stack.up());
  const billed = () => emulator.summary().voicesBilled;

  control.refuse = (body) => (isCall(body, "delete") ? JSON.stringify(refusal) : undefined);
  const kept = await stack.destroy();
  expect([kept.code === 0, emulator.voices().length]).toEqual([false, 2]);
  expect(await stack.resources()).toHaveLength(2);
  control.refuse = () => undefined;

  // Nobody can be sure of this list.
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

  // A person who knows that they are gone says so.
  for (const { voice } of emulator.voices()) emulator.vanish("default", voice);
  await stack.ok(stack.with({ CLOUDVOICE_ACCEPT: id }).refresh());
  control.spoil = () => undefined;
  await stack.ok(stack.up());
  expect(billed()).toBe(4);
});
