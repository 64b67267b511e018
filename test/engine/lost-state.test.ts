import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { said, Stack } from "../support/stack";

/** After the loss of a state, one run takes the voices over if a person says so. */

const day = 24 * 3600 * 1000;

test("an update asks one question for all old voices, reuses those that nobody holds, and pays for no other", async () => {
  const emulator = await emulate({ now: () => Date.now() - 3 * day });
  const stack = await Stack.create(emulator, { CLOUDVOICE_SETTLE_SECONDS: "1" });
  stack.program(`
    const entry = { targetModel: model, audio: "a.wav" };
    new cv.VoiceCatalog("voices", { voices: { a: entry, b: entry, c: entry } });
    new cv.CloudVoice("moved", entry);`);
  await stack.ok(stack.up());
  const voices = await stack.resources();
  const idOf = (name: string) => voices.find(({ urn }) => urn.endsWith(`::${name}`))?.id;
  const moved = voices.find(({ urn }) => urn.endsWith("::moved"));
  await stack.ok(stack.pulumi("stack", "init", "prod", "--no-select"));
  await stack.ok(stack.pulumi("state", "move", "--yes", "--source", "dev", "--dest", "prod", moved?.urn ?? ""));

  await stack.ok(stack.pulumi("stack", "rm", "--force", "--yes", "dev"));
  rmSync(join(stack.folder, ".state"), { recursive: true });
  await stack.ok(stack.pulumi("stack", "init", "dev"));
  const preview = await stack.ok(stack.preview());
  expect(said(preview, "warning: the update will fail: The voice")).toBe(1);

  const reviewWith = async (each: Stack) => JSON.parse((await cloudvoice(each, ["review", "--json"])).stdout) as Review;
  const { questions } = await reviewWith(stack);
  const [question] = questions;
  expect(questions).toHaveLength(1);
  const answered = stack.with({ CLOUDVOICE_ACCEPT: question?.id ?? "" });
  const review = await reviewWith(answered);
  expect([review.questions, review.counts.voice, review.charge.atMost]).toMatchObject([
    [],
    { take: 3, create: 1 },
    0.01,
  ]);
  const failed = await stack.up();
  expect(failed.code).not.toBe(0);
  expect(failed.output).toMatch(
    new RegExp(`nothing shows that it was made for .*CLOUDVOICE_ACCEPT=${question?.id ?? ""}`),
  );

  await stack.ok(answered.up());
  const held = await stack.resources();
  for (const name of ["voices-a", "voices-b", "voices-c"])
    expect(held.find(({ urn }) => urn.endsWith(`::${name}`))?.id).toBe(idOf(name));
  expect(held.find(({ urn }) => urn.endsWith("::moved"))?.id).not.toBe(moved?.id);
  expect(emulator.summary().calls).toMatchObject({ create: 5 });
  expect(emulator.voices()).toHaveLength(5);
  await stack.ok(stack.preview("--expect-no-changes"));
});
