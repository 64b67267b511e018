import { type Expectations, question } from "../../provider/src/rules/decision";
import { decisionInputs } from "../../provider/src/rules/decision-inputs";
import { changedInputs } from "../../provider/src/rules/inputs";
import type { Run } from "./commands";
import { declaration } from "./program";
import type { Mistake } from "./provider";
import { plainService } from "./service";
import { Simulation } from "./simulation";
import { Random } from "./world";

/**
 * Draws answers, expectations and lives of a gate, and looks at each voice that is paid for behind it: do the kept answers
 * meet what the program expects? `CLOUDVOICE_GATE_DRAWS=100000` draws more.
 */
const draws = Number(process.env.CLOUDVOICE_GATE_DRAWS ?? 500);

const questions = {
  risky: question.noul("Is it risky?"),
  tone: question.choice("Which tone?", { warm: "Warm", rude: "Impolite" }),
  mood: question.score("Which mood?", ["low", "middle", "high"]),
};
type Answers = Record<string, unknown>;

const byLevel = (shares: number[]) => Object.fromEntries(shares.map((part, level) => [level, part]));

/** Answers as a service may give them: sound, missing, further, of a wrong type, out of range, or contradictory. */
function drawAnswers(random: Random): Answers {
  const share = () => Math.round(random.next() * 100) / 100;
  const as = (value: number) => (random.chance(0.1) ? String(value) : value);
  const warm = share();
  const probabilities = { warm: as(warm), rude: as(1 - warm) };
  const likelier = warm > 0.5 ? "warm" : "rude";
  const tone = {
    type: "choice",
    choice: random.chance(0.1) ? ` ${likelier} ` : likelier,
    confidence: as(share()),
    probabilities,
  };
  const levels = random.pick([
    [0.9, 0.1, 0],
    [0.1, 0.8, 0.1],
    [0, 0.1, 0.9],
  ]);
  const legend = { "0": "low", "1": "middle", "2": "high" };
  const mean = levels.reduce((sum, part, level) => sum + part * level, 0);
  const mood = { type: "score", score: as(mean), confidence: share(), probabilities: byLevel(levels), legend };
  const odd: Record<keyof typeof questions, (() => unknown)[]> = {
    risky: [() => ({ type: "noul", noul: random.pick([-1, -0.5, 1.2, 50, 98]) }), () => ({ type: "score", score: 1 })],
    tone: [
      () => ({
        ...tone,
        choice: likelier === "warm" ? "rude" : "warm",
        probabilities: { warm: Number(warm > 0.5), rude: Number(warm <= 0.5) },
      }),
      () => ({ ...tone, confidence: random.pick([98, -0.2]) }),
      () => ({ ...tone, probabilities: random.pick([{}, { warm: 95, rude: 5 }, { warm: 0.5 }]) }),
      () => ({ ...tone, choice: random.pick(["WARM", 0, "other"]) }),
    ],
    mood: [
      () => ({ ...mood, score: random.pick([7, -1, 100]) }),
      () => ({
        ...mood,
        score: levels[0] === 0.9 ? 2 : 0,
        probabilities: levels[0] === 0.9 ? byLevel(levels) : { "0": 0, "1": 0, "2": 1 },
      }),
      () => ({ ...mood, confidence: 98 }),
      () => ({ ...mood, legend: {} }),
    ],
  };
  const all: Answers = { risky: { type: "noul", noul: as(share()) }, tone, mood };
  for (const id of Object.keys(questions) as (keyof typeof questions)[]) {
    if (random.chance(0.75)) continue;
    const missing = [() => undefined, () => null, () => "yes", () => undefined];
    all[id] = random.pick([...odd[id], ...missing])();
  }
  return random.chance(0.1) ? { ...all, other: { type: "noul", noul: 1 } } : all;
}

function drawExpectations(random: Random): Expectations<typeof questions> {
  const bound = () => Math.round(random.next() * 10) / 10;
  return {
    ...(random.chance(0.5) && { risky: random.chance(0.5) ? { min: bound() } : { max: bound() } }),
    ...(random.chance(0.4) && { tone: { choice: random.pick(["warm", "rude"] as const), minConfidence: bound() / 2 } }),
    ...(random.chance(0.4) && {
      mood: random.chance(0.5) ? { min: bound() * 2 } : { max: bound() * 2, minConfidence: bound() },
    }),
  };
}

type Kept = Record<string, Record<string, unknown> | undefined>;

/** Written down once more, without the package's own rules. */
function meets(kept: Kept, expect: Expectations<typeof questions>): boolean {
  const isIn = (value: unknown, most: number) => typeof value === "number" && value >= 0 && value <= most + 1e-9;
  const isBetween = (value: unknown, { min = -Infinity, max = Infinity }) =>
    Number(value) >= min && Number(value) <= max;
  const { risky, tone, mood } = kept;
  if (!risky || !tone || !mood) return false;
  if (expect.risky && !(risky.type === "noul" && isIn(risky.noul, 1) && isBetween(risky.noul, expect.risky)))
    return false;
  if (expect.tone) {
    const { warm, rude } = (tone.probabilities ?? {}) as Record<string, unknown>;
    if (![tone.confidence, warm, rude].every((each) => isIn(each, 1))) return false;
    if (Math.abs(Number(warm) - Number(rude)) > 0.02 && tone.choice !== (Number(warm) > Number(rude) ? "warm" : "rude"))
      return false;
    if (tone.choice !== expect.tone.choice || Number(tone.confidence) < (expect.tone.minConfidence ?? 0)) return false;
  }
  if (expect.mood) {
    const shares = [0, 1, 2].map((level) => (mood.probabilities as Record<string, unknown> | undefined)?.[level]);
    if (!isIn(mood.score, 2) || ![mood.confidence, ...shares].every((each) => isIn(each, 1))) return false;
    const mean = shares.reduce<number>((sum, part, level) => sum + Number(part) * level, 0);
    if (Math.abs(mean - Number(mood.score)) > 1 || Object.keys(mood.legend as object).length !== 3) return false;
    if (!isBetween(mood.score, expect.mood) || Number(mood.confidence) < (expect.mood.minConfidence ?? 0)) return false;
  }
  return true;
}

/** What the person does before an update, and how it runs. */
const commands: Record<string, Partial<Run>> = {
  up: {},
  refresh: { do: "refresh" },
  "up --refresh": { refresh: true },
  "up --target the voice": { targets: ["voice"] },
  "up --exclude the gate": { excludes: ["gate"] },
  "up --target both": { targets: ["gate", "voice"] },
  "up, killed": {},
  "up, without checkpoints": { withoutCheckpoints: true },
  "expect something else, up": {},
  "expect something else, refresh, up": {},
  "ask again, up": {},
  "another recording, up": {},
  "say yes, up": { accepts: ["pay-again"] },
  "preview, up": {},
};

interface Life {
  /** A voice was paid for although the kept answers do not meet the expectations, or an open gate stayed closed. */
  violations: string[];
  paid: number;
}

async function live(seed: number, mistake: Mistake = {}): Promise<Life> {
  const random = new Random(seed);
  const simulation = new Simulation({ seed, strangers: 0, commands: [], service: plainService }, mistake);
  const { world, service } = simulation;
  const told: string[] = [];
  const found: Life = { violations: [], paid: 0 };
  let expect = drawExpectations(random);
  // A closed gate is one with expectations.
  const gate = { ...declaration("gate", "decision", 0), isClosed: true };
  const voice = { ...declaration("voice", "voice", 0), behind: "gate" };

  /** Also of an operation that has not saved its state yet. */
  const kept = () =>
    simulation.entries().findLast(({ kind, isOld }) => kind === "decision" && !isOld)?.outputs.answers as Kept;
  const isOpen = () => meets(kept() ?? {}, expect);
  const report = (what: string) => {
    const answers = JSON.stringify([kept(), expect]);
    found.violations.push(`seed ${seed}: ${told.join("; ")}: ${what} ${answers}`);
  };
  service.images.answersTo = () => drawAnswers(random);
  const billedVoice = service.hooks.billedVoice.bind(service.hooks);
  service.hooks.billedVoice = (...args) => {
    found.paid++;
    if (!isOpen()) report("paid behind");
    return billedVoice(...args);
  };
  const operate = async (run: Partial<Run>) => {
    Object.assign(gate, { inputs: { questions, expect } });
    const { end } = await world.runUntil(
      simulation.operate({ do: "up", stack: 0, seed: random.between(1, 2 ** 30), ...run }),
    );
    // What a killed run has sent arrives before the next edit.
    await world.runUntil(simulation.wait(600));
    return end;
  };

  simulation.person.stackAt(0).program = [gate, voice];
  for (let count = random.between(2, 6); count > 0; count--) {
    const command = random.pick([...Object.keys(commands), "up", "up, killed"]);
    const options = commands[command]!;
    told.push(command);
    if (command.startsWith("expect")) expect = drawExpectations(random);
    if (command.startsWith("ask")) gate.trigger++;
    if (command.startsWith("another")) voice.content++;
    if (command.includes("refresh, up")) await operate({ do: "refresh" });
    if (command === "preview, up") await operate({ do: "preview" });
    const victim = random.pick(["everything", "provider"] as const);
    const kill = command === "up, killed" ? { afterEvents: random.between(1, 40), victim } : undefined;
    const end = await operate({ ...options, ...(kill && { kill }) });
    const isWhole = options.do === undefined && !kill && !options.targets && !options.excludes;
    if (isWhole && (end === "ok") !== isOpen()) report(`${end} with`);
  }
  return found;
}

test(`in ${draws} draws, no voice behind a gate is paid for while the kept answers do not meet it, and an open one opens`, async () => {
  let paid = 0;
  for (let seed = 1; seed <= draws; seed++) {
    const life = await live(seed);
    expect(life.violations).toEqual([]);
    paid += life.paid;
  }
  // Lives in which nothing is paid for prove nothing.
  expect(paid).toBeGreaterThan(draws / 10);
});

test("finds the mistake: the verdict is taken from initErrors", async () => {
  const mistake: Mistake = {
    decision: (lifecycle) => ({
      ...lifecycle,
      async diff(id, olds, news, resource, unknown) {
        const { replaces } = await lifecycle.diff(id, olds, news, resource, unknown);
        // The engine itself updates a resource whose failure it has saved.
        return { replaces, updates: changedInputs(decisionInputs, "updates", olds, news, unknown).length > 0 };
      },
    }),
  };
  let seed = 1;
  while (seed < 10_000 && (await live(seed, mistake)).violations.length === 0) seed++;
  expect((await live(seed, mistake)).violations.join()).toMatch(/paid behind|ok with/);
  expect((await live(seed)).violations).toEqual([]);
});
