import type { Emulator } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { counted, Stack } from "../support/stack";

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
  await stack.ok(stack.refresh());
  expect((await stack.up()).code).not.toBe(0);
  expect([asked(), emulator.voices().length]).toEqual([1, 0]);

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

  const preview = await stack.ok(gate("risky=yes team=billing, again", open).preview());
  expect([counted(preview, "replace"), asked()]).toEqual([1, 1]);
  await stack.ok(stack.up());
  expect(asked()).toBe(2);
});

test("a secret state or expectation is shown nowhere, also when all changes are ignored", async () => {
  const program = (opts: string) =>
    stack.program(`
      new cv.Decision("ticket", {
        state: pulumi.secret({ text: "canary of a ticket", note: "mood=wild" }),
        questions: { mood: cv.question.choice("Which?", { wild: "Wild", calm: "Calm" }) },
        expect: { mood: { choice: "calm" } },
      }, ${opts});
      const questions = { risky: cv.question.choice("Risky?", { yes: "Yes", canary_no: "No" }) };
      const expect = { risky: { choice: pulumi.secret("canary_no") } };
      new cv.Decision("expecting", { state: "risky=yes", questions, expect }, ${opts});`);
  const up = ["--diff", "--continue-on-error"];
  const first = await program("{}").up(...up);
  const ignoring = await program(`{ ignoreChanges: ["*"] }`).up(...up);
  const preview = await program("{}").preview("--diff");
  expect([first, ignoring, preview].map(({ code }) => code === 0)).toEqual([false, false, true]);
  expect(first.output).toMatch(/mood: expected calm; the answer is secret/);
  const leak = /canary of a ticket|answer is wild|"?choice"? *: "(wild|canary_no)"|"?wild"? *: 0\.|expected canary/;
  for (const text of [await stack.state(), first.output, ignoring.output, preview.output])
    expect(text).not.toMatch(leak);
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

test("a gate that is left out is not taken for another one of its name, under another parent, which is open", async () => {
  const program = (choice: string, keys: string[], voices: string[]) =>
    stack.program(`
      const questions = { tone: cv.question.choice("Which tone?", { friendly: "Warm", rude: "Impolite" }) };
      const gateIn = (type, choice) =>
        new cv.Decision("gate", { state: "tone=friendly", questions, expect: { tone: { choice } } },
          { parent: new pulumi.ComponentResource(type, type) });
      const dependsOn = [gateIn("p:i:Closed", "${choice}")];
      gateIn("p:i:Open", "friendly");
      for (const name of ${JSON.stringify(voices)})
        new cv.CloudVoice(name, { targetModel: model, audio: "a.wav" }, { dependsOn });
      const entries = ${JSON.stringify(keys)}.map((key) => [key, { targetModel: model, audio: "c.m4a" }]);
      new cv.VoiceCatalog("all", { voices: Object.fromEntries(entries) }, { dependsOn });`);
  await stack.ok(program("friendly", ["x"], []).up());
  program("rude", ["x", "y"], ["behind"]);
  for (const target of ["**::behind", "**::all-y"]) {
    const refused = await stack.up("--target", target, "--target", "**p:i:Open**");
    expect(refused.output).toMatch(/depends on the gate "gate", which --target or --exclude omits/);
  }
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });
});

test("what waits for a gate is not created by a run that leaves the gate out, and is when the gate is a target too", async () => {
  const program = (tone: string, names: string[]) =>
    stack.program(`
      const questions = { tone: cv.question.choice("Which tone?", { friendly: "Warm", rude: "Impolite" }) };
      const gate = new cv.Decision("gate", { state: "tone=friendly", questions, expect: { tone: { choice: "${tone}" } } });
      const dependsOn = [gate, new cv.Decision("asked", { state: "tone=rude", questions })];
      const [first, behind] = ${JSON.stringify(names)}.map(
        (name) => new cv.CloudVoice(name, { targetModel: model, audio: "a.wav" }, { dependsOn }),
      );
      if (behind) new cv.CloudVoice("after", { targetModel: model, audio: "c.m4a" }, { dependsOn: first });
      new cv.VoiceCatalog("all", { voices: { x: { targetModel: model, audio: "c.m4a" } } }, { dependsOn });`);
  await stack.ok(program("friendly", ["first"]).up());
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, calls: { decide: 2 } });

  program("rude", ["first", "behind"]);
  const gateless = ["--target", "**::behind"];
  const leftOut = /behind.*depends on the gate "gate", which --target or --exclude omits/s;
  for (const refused of [
    await stack.pulumi("preview", ...gateless),
    await stack.up(...gateless),
    await stack.up("--exclude", "**::gate"),
  ]) {
    expect(refused.output).toMatch(leftOut);
    expect(refused.code).not.toBe(0);
  }
  expect((await stack.pulumi("preview", "--target", "**::after")).output).toMatch(/after.*depends on the gate "gate"/s);
  expect((await stack.up("--target", "**::all-x", "--replace", "**::all-x")).output).toMatch(
    /depends on the gate "gate"/,
  );
  expect((await stack.up(...gateless, "--target", "**::gate")).output).toMatch(
    /the answers do not meet the expectations/,
  );
  expect(emulator.summary()).toMatchObject({ voicesBilled: 2, calls: { decide: 2 } });

  await stack.ok(program("friendly", ["first", "behind"]).up(...gateless, "--target", "**::gate"));
  expect(emulator.summary()).toMatchObject({ voicesBilled: 3, calls: { decide: 2 } });
});
