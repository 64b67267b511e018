import type { Emulator } from "../../provider/emulator";
import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { Stack, testOfVoices } from "../support/stack";

/** A gate fails closed: nothing behind it is paid for while the kept answers do not meet it, whatever else was run. */

type Answers = Record<string, Record<string, unknown> | undefined>;

let emulator: Emulator;
/** What the service answers, by the state that it was asked about, in place of the emulator's answers. */
const given = new Map<string, Answers>();

async function gated(): Promise<Stack> {
  emulator = await emulate();
  const service = await inFrontOf(emulator, ({ body, answer }) => {
    const { state = "" } = (body === "" ? {} : JSON.parse(body)) as { state?: string };
    const changed = given.get(state);
    if (changed === undefined) return undefined;
    const response = JSON.parse(answer) as { answers: Answers };
    return { answer: JSON.stringify({ ...response, answers: { ...response.answers, ...changed } }) };
  });
  return Stack.create(service);
}

afterEach(() => given.clear());
const paid = () => emulator.summary().voicesBilled;

testOfVoices(
  "a gate whose answer to another question is missing stays closed after a refresh, and the review says so",
  async () => {
    const stack = await gated();
    given.set("asked", { other: undefined });
    stack.program(`
    const questions = { risky: cv.question.noul("Risky?"), other: cv.question.noul("Other?") };
    const gate = new cv.Decision("gate", { state: "asked", questions, expect: { risky: { min: 0 } } });
    new cv.CloudVoice("v", { targetModel: model, audio: "a.wav" }, { dependsOn: gate });`);
    const closed = /other: expected an answer; the answer is missing/;
    const runs = [await stack.up(), await stack.up("--refresh")];
    await stack.ok(stack.refresh());
    const { stdout } = await stack.preview("--json", "--show-sames");
    const reviewed = await cloudvoice(stack, ["review", "-", "--json"], stdout);
    expect(reviewed.code).toBe(1);
    expect((JSON.parse(reviewed.stdout) as Review).changes).toMatchObject([
      { name: "v", action: "create" },
      { name: "gate", action: "update", warning: expect.stringMatching(closed) as string },
    ]);
    for (const { code, output } of [...runs, await stack.up()]) {
      expect(output).toMatch(closed);
      expect(code).not.toBe(0);
    }
    expect([paid(), emulator.summary().calls.decide]).toEqual([0, 1]);
  },
);

test("answers outside what they can mean, and those that contradict themselves, meet no expectation", async () => {
  const stack = await gated();
  const tone = (choice: string, confidence: number, probabilities: object) => ({
    tone: { type: "choice", choice, confidence, probabilities },
  });
  const noul = (value: number) => ({ risky: { type: "noul", noul: value } });
  const [probabilities, legend] = [
    { "0": 0, "1": 0, "2": 1 },
    { "0": "low", "1": "middle", "2": "high" },
  ];
  const score = { mood: { type: "score", score: 7, confidence: 1, probabilities, legend } };
  const cases: [name: string, expect: object, answers: Answers, why: RegExp][] = [
    ["negative", { risky: { max: 0.5 } }, noul(-1), /the noul -1, outside 0 to 1/],
    ["percent", { risky: { min: 0.9 } }, noul(98), /the noul 98, outside 0 to 1/],
    [
      "sure",
      { tone: { choice: "warm", minConfidence: 0.5 } },
      tone("warm", 98, { warm: 0.95, rude: 0.05 }),
      /confidence 98/,
    ],
    ["level", { mood: { min: 1 } }, score, /the score 7, outside 0 to 2/],
    ["contradicted", { tone: { choice: "warm" } }, tone("warm", 0.9, { warm: 0.05, rude: 0.95 }), /not the likeliest/],
    ["unfounded", { tone: { choice: "warm" } }, tone("warm", 0.9, {}), /probabilities that do not match the options/],
  ];
  for (const [name, , answers] of cases) given.set(name, answers);
  stack.program(`
    const questions = {
      risky: cv.question.noul("Risky?"),
      tone: cv.question.choice("Which tone?", { warm: "Warm", rude: "Impolite" }),
      mood: cv.question.score("Which mood?", ["low", "middle", "high"]),
    };
    for (const [state, expect] of ${JSON.stringify(cases)}) {
      const gate = new cv.Decision(state, { state, questions, expect });
      new cv.CloudVoice("voice-" + state, { targetModel: model, audio: "a.wav" }, { dependsOn: gate });
    }`);
  const first = await stack.up("--continue-on-error");
  await stack.ok(stack.refresh());
  for (const run of [first, await stack.up("--continue-on-error")]) {
    expect(run.code).not.toBe(0);
    for (const [name, , , why] of cases) expect(run.output).toMatch(new RegExp(`${name}[^]*${why.source}`));
  }
  expect([paid(), emulator.summary().calls.decide]).toEqual([0, cases.length]);
});

test("an option with white space around it and numbers as text are read; another case is an error that shows it", async () => {
  const stack = await gated();
  const tone = (choice: string) => ({
    tone: { type: "choice", choice, confidence: "0.9", probabilities: { warm: "0.95", rude: 0.05 } },
  });
  given.set("spaced", { ...tone(" warm "), risky: { type: "noul", noul: "0.93" } });
  given.set("shouted", tone("WARM"));
  const program = (...states: string[]) =>
    stack.program(`
      const questions = {
        risky: cv.question.noul("Risky?"),
        tone: cv.question.choice("Which tone?", { warm: "Warm", rude: "Impolite" }),
      };
      const expect = { risky: { min: 0.9 }, tone: { choice: "warm", minConfidence: 0.9 } };
      for (const state of ${JSON.stringify(states)}) {
        const gate = new cv.Decision(state, { state, questions, expect });
        new cv.CloudVoice("voice-" + state, { targetModel: model, audio: "a.wav" }, { dependsOn: gate });
      }`);
  await stack.ok(program("spaced").up());
  expect([paid(), emulator.summary().calls.decide]).toEqual([1, 1]);
  const refused = await program("spaced", "shouted").up();
  expect(refused.output).toMatch(/the answer to "tone" chooses an option that was not given \(it is "WARM"\)/);
  expect([refused.code === 0, paid(), emulator.summary().calls.decide]).toEqual([false, 1, 2]);
});
