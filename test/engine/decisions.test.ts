import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/**
 * A decision is made once and kept. A closed gate stops the deployment until its inputs or its expectations change.
 * Here is what takes a real engine; `test/pulumi/decision-*.test.ts` has the rest.
 */

let emulator: Emulator;
let stack: Stack;
beforeEach(async () => {
  emulator = await emulate();
  stack = await Stack.create(emulator);
});
const asked = () => emulator.summary().calls.decide ?? 0;

test("a closed gate stops its dependents until it opens, and a decision is requested once until its state changes", async () => {
  const gate = (state: string, expected: string) =>
    stack.program(`
      const gate = new cv.Decision("gate", {
        state: ${JSON.stringify(state)},
        questions: {
          risky: cv.question.noul("Is this risky?"),
          team: cv.question.choice("Who handles it?", { billing: "Invoices", support: "The rest" }),
          mood: cv.question.score("How friendly is it?", ["rude", "plain", "friendly"]),
        },
        expect: ${expected},
      });
      new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" }, { dependsOn: gate });`);
  const first = await gate("risky=yes team=billing", `{ risky: { max: 0.2 }, team: { choice: "support" } }`).up();
  expect(first.code).not.toBe(0);
  expect(first.output).toMatch(
    /answers do not meet the expectations: risky: expected at most 0\.2; the answer is 0\.9\d; team: expected support; the answer is billing with confidence .* \(probabilities: billing 0\.\d+, support 0\.\d+\)/,
  );
  expect(first.output).not.toMatch(/\n\s+at /);

  // A refresh does not open it.
  const closed = await stack.up("--refresh");
  expect(closed.output).toMatch(/answers do not meet the expectations/);
  expect([closed.code === 0, asked(), emulator.voices().length]).toEqual([false, 1, 0]);

  const open = `{ risky: { min: 0.8 }, team: { choice: ["billing"], minConfidence: 0.5 }, mood: { min: 0 } }`;
  await stack.ok(gate("risky=yes team=billing", open).up());
  const [decision] = await stack.resources();
  expect(decision?.outputs).toMatchObject({
    answers: {
      team: { type: "choice", choice: "billing" },
      risky: { type: "noul" },
      mood: { type: "score", legend: { "0": "rude" } },
    },
    model: "decision-model-preview",
    requestId: decision?.id,
    inputTokens: expect.any(Number) as unknown,
    latencyMs: 42.5,
  });
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  expect([asked(), emulator.voices().length]).toEqual([1, 1]);

  await stack.ok(gate("risky=yes team=billing, again", open).up());
  expect(asked()).toBe(2);
});

test("secret states, questions and expectations are shown nowhere, also when all changes are ignored", async () => {
  const program = (opts: string) =>
    stack.program(`
      new cv.Decision("ticket", {
        state: pulumi.secret({ text: "canary of a ticket", note: "mood=wild" }),
        questions: { mood: cv.question.choice("Which?", { wild: "Wild", calm: "Calm" }) },
        expect: { mood: { choice: "calm" } },
      }, ${opts});
      const questions = { risky: cv.question.choice("Risky?", { yes: "Yes", canary_no: "No" }) };
      const expect = { risky: { choice: pulumi.secret("canary_no") } };
      new cv.Decision("expecting", { state: "risky=yes", questions, expect }, ${opts});
      new cv.Decision("asking", {
        state: "canary_id=no",
        questions: pulumi.secret({ canary_id: cv.question.choice("canary?", { canary_yes: "a", no: "b" }) }),
        expect: pulumi.secret({ canary_id: { choice: "canary_yes" } }),
      }, ${opts});`);
  const up = ["--diff", "--continue-on-error"];
  const first = await program("{}").up(...up);
  const ignoring = await program(`{ ignoreChanges: ["*"] }`).up(...up);
  const preview = await program("{}").preview("--diff");
  expect([first, ignoring, preview].map(({ code }) => code === 0)).toEqual([false, false, true]);
  expect(first.output).toMatch(/mood: expected calm; the answer is secret/);
  const leak =
    /canary of a ticket|answer is wild|"?choice"? *: "(wild|canary_no)"|"?wild"? *: 0\.|expected canary|canary_yes/;
  const state = await stack.state();
  expect(state.match(/"initErrors"/g)).toHaveLength(3);
  for (const text of [state, first.output, ignoring.output, preview.output]) expect(text).not.toMatch(leak);
});

test("decisionCheck asks at every preview and update; inputs that are not known yet and dependencies make it wait", async () => {
  const questions = `{ team: cv.question.choice("Who?", { billing: "b", support: "s" }) }`;
  stack.program(`
    const v = new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" });
    const questions = ${questions};
    const teamOf = (state, opts) => cv.decisionCheckOutput({ state, questions }, opts).answers.team.choice;
    exports.plain = cv.decisionCheck({ state: { b: 1, a: "team=support" }, questions })
      .then(({ answers }) => answers.team.choice);
    exports.secret = teamOf(pulumi.secret("team=billing"));
    exports.unknown = teamOf(v.voice.apply((name) => "team=billing of " + name));
    exports.dependent = teamOf("team=support", { dependsOn: [v] });`);
  emulator.setFaults([{ kind: "reset-after", on: ["decide"], times: 1 }]);
  const preview = await stack.ok(stack.preview());
  expect(preview.output).toMatch(/up to 2 calls may have been billed/);
  expect(asked()).toBe(3);

  const run = await stack.ok(stack.up());
  expect(run.output).toMatch(
    /dependent *: "support"\s+plain *: "support"\s+secret *: \[secret\]\s+unknown *: "billing"/,
  );
  expect(asked()).toBe(7);
  const actions = emulator.ledger().map(({ action }) => action);
  expect(actions.slice(actions.indexOf("create")).filter((action) => action === "decide").length).toBeGreaterThan(1);
});

test("what waits for a gate is not created by a run that leaves it out, whatever else is open, and is when it is a target", async () => {
  // Another gate has the same name, under another parent, and is open.
  const program = (tone: string, names: string[]) =>
    stack.program(`
      const questions = { tone: cv.question.choice("Which tone?", { friendly: "Warm", rude: "Impolite" }) };
      const gateIn = (type, choice) =>
        new cv.Decision("gate", { state: "tone=friendly", questions, expect: { tone: { choice } } },
          { parent: new pulumi.ComponentResource(type, type) });
      const dependsOn = [gateIn("p:i:Closed", "${tone}"), new cv.Decision("asked", { state: "tone=rude", questions })];
      gateIn("p:i:Open", "friendly");
      const [first, behind] = ${JSON.stringify(names)}.map(
        (name) => new cv.CloudVoice(name, { targetModel: model, audio: "a.wav" }, { dependsOn }),
      );
      if (behind) new cv.CloudVoice("after", { targetModel: model, audio: "c.m4a" }, { dependsOn: first });
      new cv.VoiceCatalog("all", { voices: { x: { targetModel: model, audio: "c.m4a" } } }, { dependsOn });`);
  await stack.ok(program("friendly", ["first"]).up());
  const before = { voicesBilled: 2, calls: { decide: 3 } };
  expect(emulator.summary()).toMatchObject(before);

  program("rude", ["first", "behind"]);
  const behind = ["--target", "**::behind"];
  const [open, gate] = [
    ["--target", "**p:i:Open**"],
    ["--target", "**p:i:Closed**"],
  ] as const;
  for (const [name, refused] of [
    ["behind", await stack.up(...behind, ...open)],
    ["behind", await stack.up("--exclude", "**p:i:Closed**::gate")],
    ["after", await stack.pulumi("preview", "--target", "**::after")],
    ["all-x", await stack.up("--target", "**::all-x", "--replace", "**::all-x")],
  ] as const) {
    expect(refused.output).toMatch(
      new RegExp(`${name}.*depends on the gate "gate", which --target or --exclude omits`, "s"),
    );
    expect(refused.code).not.toBe(0);
  }
  expect((await stack.up(...behind, ...gate)).output).toMatch(/the answers do not meet the expectations/);
  expect(emulator.summary()).toMatchObject(before);

  await stack.ok(program("friendly", ["first", "behind"]).up(...behind, ...gate));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 3, calls: { decide: 3 } });
});
