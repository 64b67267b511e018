import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { isNative, Stack } from "../support/stack";

/**
 * A preview of a free update says what it knows. The native classes know which outputs stay. Of the other classes the SDK
 * knows none, so the review says what may show only because of that, and does not count it.
 */

test("what takes an output of a decision, a picture or a voice that is updated for free is not paid again", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05" });
  const program = (max: number, saveTo: string, holder: string) =>
    stack.program(`
      const question = { q: cv.question.noul("Is it fit?") };
      const gate = new cv.Decision("gate", { state: "q=no", questions: question, expect: { q: { max: ${max} } } });
      const cover = new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse", saveTo: "${saveTo}" });
      const voice = new cv.CloudVoice("voice", { targetModel: model, audio: "a.wav", rights: { holder: "${holder}", evidence: "file 7" } });
      const text = gate.answers.q.noul.apply(String);
      new cv.CloudVoice("dependent", { targetModel: model, audio: "b.mp3", text }, { dependsOn: gate });
      gate.answers.apply(() => void new cv.CloudVoice("inner", { targetModel: model, audio: "c.m4a" }));
      const decide = (name, state) => new cv.Decision(name, { state, questions: question });
      decide("of-bytes", { sha256: cover.images[0].sha256, bytes: cover.images[0].bytes });
      decide("of-voice", { voice: voice.voice, at: voice.createdAt });
      decide("of-file", { file: cover.images[0].file });`);
  const reviewed = async (...args: string[]) => {
    const run = await cloudvoice(stack, ["review", "--stack", "dev", "--exit-code", "--format", "json", ...args]);
    return { code: run.code, ...(JSON.parse(run.stdout) as Review) };
  };
  const named = ({ changes }: Review) => changes.map(({ action, name }) => `${action} ${name}`);
  await stack.ok(program(0.5, "covers", "Jane").up());
  const before = emulator.summary();

  program(0.6, "covers", "Joan");
  const free = await reviewed("--limit", "cost=0,decisions=0");
  expect([free.code, free.charge.voices, free.charge.decisions]).toEqual([2, 0, 0]);
  const unsure = ["replace dependent", "delete inner", "replace of-voice"];
  expect(named(free).sort()).toEqual([...["update voice", "update gate"], ...(isNative() ? [] : unsure)].sort());
  for (const { action, why } of free.changes)
    if (action !== "update")
      expect(why).toMatch(/may show only because .* updated for free and .* unknown in this preview/);
  await stack.ok(stack.up());
  expect(emulator.summary()).toMatchObject({
    voicesBilled: before.voicesBilled,
    calls: { decide: before.calls.decide },
  });
  expect(emulator.voices()).toHaveLength(3);

  // The address of a picture does change.
  program(0.6, "pictures", "Joan");
  const moved = await reviewed("--limit", "decisions=0");
  expect([moved.code, moved.charge.decisions]).toEqual([3, 1]);
  const [paid] = moved.changes.filter(({ name }) => name === "of-file");
  expect(paid).toMatchObject({ action: "replace", why: expect.not.stringMatching("may show") as string });
  const others = isNative() ? [] : ["replace of-bytes"];
  expect(named(moved).sort()).toEqual(["update cover", "replace of-file", ...others].sort());
});
