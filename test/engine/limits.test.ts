import { emulate } from "../support/emulate";
import { said, Stack } from "../support/stack";

/** How long it takes is tested in simulated time, in test/service/throttle.test.ts. */
test("a service that limits the rate of creates gets each create about twice at most, and bills each voice once", async () => {
  const emulator = await emulate({ callsPerSecond: { create: 6 } });
  const stack = await Stack.create(emulator);
  stack.program(
    'for (let i = 0; i < 30; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav", triggers: [i] });',
  );
  await stack.ok(stack.up("--parallel", "64"));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 30 });
  expect(emulator.ledger().filter(({ action }) => action === "create").length).toBeLessThanOrEqual(2.5 * 30);
});

test("a service that stays busy fails the update, and nothing is billed", async () => {
  const emulator = await emulate({ callsPerSecond: { create: 0 } });
  const stack = await Stack.create(emulator, { CLOUDVOICE_MAX_THROTTLE_SECONDS: "3" });
  stack.program('new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });');
  const run = await stack.up();
  expect(run.code).not.toBe(0);
  expect(run.output.replace(/\s+/g, " ")).toMatch(
    /creating the voice \w+ failed: its turn did not come within 3 s \(too many calls: Requests rate limit exceeded\) \(HTTP 429/,
  );
  expect(emulator.voices()).toEqual([]);
});

test("secret inputs appear nowhere in clear, also not in failures of checks and gates", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  stack.program(`new cv.CloudVoice("v", {
    targetModel: pulumi.secret("canary"),
    audio: pulumi.secret("canary.wav"),
    preferredName: pulumi.secret("can-ary canary"),
  });`);
  const preview = await stack.preview();
  expect(preview.code).not.toBe(0);
  expect(said(preview, "the reason is not shown, because the input is secret")).toBe(3);
  // Expectations name questions and options, so they have to be secret too.
  stack.program(`
    const questions = { canary_id: cv.question.choice("canary?", { canary_yes: "a", no: "b" }) };
    new cv.Decision("gate", {
      state: pulumi.secret("canary_id=no"),
      questions: pulumi.secret(questions),
      expect: pulumi.secret({ canary_id: { choice: "canary_yes" } }),
    });`);
  const closed = await stack.up();
  expect(closed.code).not.toBe(0);
  expect(said(closed, "the answers do not meet the expectations")).toBeGreaterThan(0);
  const outputs = [preview.output, closed.output, await stack.state()];
  expect(outputs.join("\n")).not.toMatch(/canary/);
  expect(outputs.join("\n")).toContain("initErrors");
});

test("questions may have any ids, except the one that Pulumi drops, which is refused by name", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  stack.program(`
    const gate = new cv.Decision("gate", {
      state: "toString=yes",
      questions: { toString: cv.question.noul("?"), constructor: cv.question.choice("?", { valueOf: "a", toString: "b" }) },
      expect: { toString: { min: 0.5 } },
    });
    exports.ids = gate.answers.apply((answers) => Object.keys(answers).sort().join());`);
  const run = await stack.ok(stack.up());
  expect(run.output).toMatch(/ids: "constructor,toString"/);

  const refused = await stack
    .program(
      'new cv.Decision("gate", { state: "a", questions: { ["__proto__"]: cv.question.noul("?"), b: cv.question.noul("?") } });',
    )
    .preview();
  expect(refused.code).not.toBe(0);
  expect(refused.output).toMatch(/gate: questions has the key "__proto__"/);
  expect(emulator.summary().calls.decide).toBe(1);
});
