import type { Run, Scenario } from "./commands";
import type { Outcome } from "./engine";
import { questionsIn } from "../support/questions-in";
import type { SimulatedStack } from "./person";
import type { Mistake } from "./provider";
import { Simulation } from "./simulation";
import { type Entry, imagesOf, nameOf, urnOf } from "./state";

export interface Result {
  violations: string[];
  /** What the operations and the package reported. */
  log: string[];
  billed: number;
}

/** Runs the scenario to its end, and checks what must hold then and what must hold at each moment. */
export async function runScenario(scenario: Scenario, mistake?: Mistake, end = endQuietly): Promise<Result> {
  const simulation = new Simulation(scenario, mistake);
  const { world, ledger, log } = simulation;
  const violations: string[] = [];
  const work = async () => {
    for (const command of scenario.commands) await simulation.execute(command);
    violations.push(...(await end(simulation)));
  };
  violations.push(...(await world.violationsUntil(work())));
  const all = [...ledger.violations, ...violations, ...ledger.overbilled()];
  if (simulation.waitedNeedlessly) all.push("an update waits for an interrupted run, and none was interrupted");
  return { violations: [...new Set(all)], log, billed: ledger.billedInAll };
}

/** Longer than any request, any lag of the list, and any process that outlived its engine. */
export const quietSeconds = 600;

/** The faults are over: after a refresh, if one is needed, an ordinary update must succeed for every stack. */
export async function endQuietly(simulation: Simulation): Promise<string[]> {
  const { person, ledger, service } = simulation;
  simulation.log.push("--- the quiet end");
  service.options.quota = 1000;
  await simulation.wait(quietSeconds);
  for (const stack of person.stacks) makeUpdatable(stack);
  const used = usedStacks(simulation);
  for (const [index, stack] of used) {
    let outcome = await quietUpdate(simulation, index);
    // In some dialects nothing is certain: to take a voice, to pay again and a deletion are a question each.
    for (let tries = 0; tries < 5 && outcome.end !== "ok"; tries++) {
      const followed = followAdvice(stack, outcome.errors.join("\n"));
      if (!followed && tries > 1) break;
      await simulation.wait(quietSeconds);
      outcome = await quietUpdate(simulation, index);
    }
    if (outcome.end !== "ok") return [`the last update of ${stack.name} fails: ${outcome.errors.join(" | ")}`];
  }
  const { billedInAll } = ledger;
  for (const [index] of used) await simulation.operate({ ...quietRun, do: "up", stack: index });
  const again = ledger.billedInAll - billedInAll;
  return [...(again > 0 ? [`an update without changes billed ${again}`] : []), ...problemsAtEnd(simulation)];
}

export function usedStacks({ person }: Simulation) {
  return [...person.stacks.entries()].filter(([, { program, state }]) => program.length + state.entries.length > 0);
}

const quietRun = { seed: 1 } satisfies Partial<Run>;

const quietUpdate = (simulation: Simulation, stack: number) =>
  answering(simulation, stack, (accepts) =>
    simulation.operate({ ...quietRun, do: "up", refresh: true, stack, accepts }),
  );

/** Runs the operation, and again with the ids of its questions: one may lead to another. */
export async function answering(
  simulation: Simulation,
  stack: number,
  operate: (accepts: readonly string[]) => Promise<Outcome>,
): Promise<Outcome> {
  const accepts = new Set<string>();
  for (;;) {
    const outcome = await operate([...accepts]);
    const more = acceptedIds(simulation, stack, outcome).filter((id) => !accepts.has(id));
    if (more.length === 0) return outcome;
    for (const id of more) accepts.add(id);
  }
}

/**
 * A person who is asked looks at the account and the states, and says yes if the voices are gone, if what was lost is to
 * be paid for, or if no other resource has the voice. The answer is the id of the question that was asked.
 */
function acceptedIds({ service, ...simulation }: Simulation, stack: number, { errors }: Outcome): string[] {
  const own = simulation.person.stackAt(stack);
  const voices = own.state.entries.filter(({ kind }) => kind === "voice").map(({ id }) => id);
  const text = errors.join("\n");
  const taken = simulation.person.stacks.flatMap(({ state }) => state.entries).filter(({ id }) => text.includes(id));
  const isTrue: Record<string, boolean> = {
    "pay-again": true,
    missing: voices.some((voice) => !service.exists(voice)),
    take: taken.length === 0,
  };
  return [...questionsIn(text)].filter((id) => isTrue[kindOfQuestion(id)] === true);
}

export const kindOfQuestion = (id: string) => id.replace(/-[0-9a-f]{16}$/, "");

/** Takes out what makes an update fail on purpose: protection, and the adoption of voices that are gone. */
function makeUpdatable({ name, program, state }: SimulatedStack): void {
  for (const entry of state.entries) entry.protect = false;
  for (const declared of program) {
    declared.protect = false;
    declared.isClosed = false;
    const urn = urnOf(name, "voice", declared.name);
    const entry = state.entries.find((each) => each.urn === urn && !each.isOld);
    if (entry?.outputs.adopted !== true) delete declared.adopt;
  }
}

/** What a person does who reads the error. */
export function followAdvice({ program }: SimulatedStack, errors: string): boolean {
  if (/duplicate/.test(errors)) for (const declared of program) declared.aliases = [];
  else if (/change triggers/.test(errors)) {
    for (const declared of program) {
      if (new RegExp(`${declared.name}(_[0-9][0-9a-z]{6})?-voice-`).test(errors)) declared.trigger += 10;
    }
  } else if (/adopt/.test(errors)) for (const declared of program) delete declared.adopt;
  else return false;
  return true;
}

function problemsAtEnd(simulation: Simulation): string[] {
  const { person, service, ledger } = simulation;
  const problems: string[] = [];
  const held = new Set(person.stacks.flatMap(({ state }) => state.entries.map(({ id }) => id)));
  const holders = new Map<string, string[]>();
  for (const { name: stack, program, state } of person.stacks) {
    const wanted = new Set(program.map(({ name, kind }) => urnOf(stack, kind, name)));
    for (const entry of state.entries) {
      if (entry.isOld || entry.pendingReplacement)
        problems.push(`${stack} still has an old copy of ${nameOf(entry.urn)}`);
      else if (!wanted.delete(entry.urn)) problems.push(`${stack} has ${nameOf(entry.urn)} twice, or too long`);
      if (entry.outputs.adopted !== true)
        holders.set(entry.id, [...(holders.get(entry.id) ?? []), `${nameOf(entry.urn)} of ${stack}`]);
      if (entry.kind === "voice") problems.push(...voiceProblems(entry));
      const declared = program.find(({ name, kind }) => urnOf(stack, kind, name) === entry.urn);
      if (entry.kind === "image") problems.push(...imageProblems(entry, declared?.saveTo));
    }
    for (const urn of wanted) problems.push(`${stack} lacks ${nameOf(urn)}`);
  }
  for (const [voice, names] of holders)
    if (names.length > 1 && !ledger.sharedByPerson.has(voice)) problems.push(`${names.join(" and ")} hold ${voice}`);
  return [...problems, ...leftOver(simulation, held)];

  /** An image is where the program says, unless its URL died before it could be saved there. */
  function imageProblems(entry: Entry, saveTo: string | undefined): string[] {
    const name = nameOf(entry.urn);
    if (entry.outputs.saveTo !== saveTo) return [`${name} has not moved to ${saveTo ?? "no folder"}`];
    return imagesOf(entry).flatMap(({ file }) => {
      const isThere = saveTo === undefined ? file === undefined : file?.startsWith(`${saveTo}/`);
      return isThere || service.images.isGone(entry.id)
        ? []
        : [`${name} is not saved where the program says: ${String(file)}`];
    });
  }

  function voiceProblems({ id, urn, outputs, inputs }: Entry): string[] {
    const voice = service.voices.get(id);
    const name = nameOf(urn);
    // Of two stacks that have one voice by a person's doing, one deletes it. The other's next refresh sees that.
    if (ledger.sharedByPerson.has(id) || (outputs.adopted === true && ledger.goneWithCreator.has(id))) return [];
    if (voice === undefined || voice.deletedMs !== undefined) return [`the voice of ${name} does not exist: ${id}`];
    if (outputs.adopted === true) return [];
    const source =
      outputs.audioSha256 === undefined ? outputs.audio : `https://files.example/${outputs.audioSha256 as string}`;
    if (voice.audio !== source)
      return [`the voice of ${name} was made from ${voice.audio}, not from ${String(source)}`];
    return voice.preferredName === inputs.preferredName ? [] : [`${name} holds a voice of another name: ${id}`];
  }
}

/** The voices that no state holds, and no report names. */
export function leftOver({ service, ledger, log }: Simulation, held: Pick<Set<string>, "has">): string[] {
  const reports = log
    .filter((line) => !/uses the voice|no longer exists|may exist|lacks voices that/.test(line))
    .join("\n");
  return service
    .existing()
    .filter((voice) => voice.key !== undefined && !held.has(voice.voice) && !ledger.isGivenUp(voice))
    .filter(({ voice }) => !reports.includes(voice))
    .map(({ voice }) => `${voice} is left over, and nothing names it`);
}
