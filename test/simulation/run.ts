import type { Run, Scenario } from "./commands";
import type { Outcome } from "./engine";
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

/** Runs the scenario to its quiet end, and checks what must hold then and what must hold at each moment. */
export async function runScenario(scenario: Scenario, mistake?: Mistake): Promise<Result> {
  const simulation = new Simulation(scenario, mistake);
  const { world, ledger, log } = simulation;
  const violations: string[] = [];
  const work = async () => {
    for (const command of scenario.commands) await simulation.execute(command);
    violations.push(...(await endQuietly(simulation)));
  };
  try {
    await world.runUntil(work());
  } catch (error) {
    violations.push(
      `the simulation failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
  const all = [...ledger.violations, ...violations, ...ledger.overbilled()];
  if (simulation.waitedNeedlessly) all.push("an update waits for an interrupted run, and none was interrupted");
  return { violations: [...new Set(all)], log, billed: ledger.billedInAll };
}

/** Longer than any request, any lag of the list, and any process that outlived its engine. */
const quietSeconds = 600;

/** The faults are over: after a refresh, if one is needed, an ordinary update must succeed for every stack. */
async function endQuietly(simulation: Simulation): Promise<string[]> {
  const { person, ledger, service } = simulation;
  simulation.log.push("--- the quiet end");
  service.options.quota = 1000;
  await simulation.wait(quietSeconds);
  for (const stack of person.stacks) makeUpdatable(stack);
  const used = [...person.stacks.entries()].filter(
    ([, { program, state }]) => program.length + state.entries.length > 0,
  );
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

const quietRun = { seed: 1 } satisfies Partial<Run>;

async function quietUpdate(simulation: Simulation, stack: number): Promise<Outcome> {
  const { ledger, person, service } = simulation;
  const operate = (run: Partial<Run>) => simulation.operate({ ...quietRun, do: "up", stack, ...run });
  /** A person who is asked looks at the account, and says yes if the voices are gone, or what was lost is to be paid for. */
  const accepted = ({ errors }: Outcome) => {
    const asked = [...errors.join("\n").matchAll(/CLOUDVOICE_ACCEPT=([a-z-]+)-[0-9a-f]{16}/g)].map(
      ([, kind = ""]) => kind,
    );
    const isGone = person.stackAt(stack).state.entries.some(({ kind, id }) => kind === "voice" && !service.exists(id));
    return [...new Set(asked)].filter((kind) => kind === "pay-again" || (kind === "missing" && isGone));
  };
  const refresh = async () => {
    const refreshed = await operate({ do: "refresh" });
    const accepts = accepted(refreshed);
    return accepts.length > 0 ? operate({ do: "refresh", accepts }) : refreshed;
  };
  const refreshed = ledger.needsRefresh ? await refresh() : undefined;
  let outcome = await operate({});
  // The list may have grown while the refresh read it, or two resources held one voice, which the update has mended.
  if (refreshed?.end === "failed" && outcome.end === "ok") {
    await refresh();
    outcome = await operate({});
  }
  const accepts = accepted(outcome);
  if (accepts.length === 0) return outcome;
  ledger.needsRefresh = true;
  return operate({ accepts });
}

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
function followAdvice({ program }: SimulatedStack, errors: string): boolean {
  if (/duplicate/.test(errors)) for (const declared of program) declared.aliases = [];
  else if (/change triggers/.test(errors)) {
    for (const declared of program) {
      if (errors.includes(`the name of this resource, ${declared.name}_`)) declared.trigger += 10;
    }
  } else if (/adopt/.test(errors)) for (const declared of program) delete declared.adopt;
  else return false;
  return true;
}

function problemsAtEnd({ person, service, ledger, log }: Simulation): string[] {
  const problems: string[] = [];
  const holders = new Map<string, string[]>();
  for (const { name: stack, program, state } of person.stacks) {
    const wanted = new Set(program.map(({ name, kind }) => urnOf(stack, kind, name)));
    for (const entry of state.entries) {
      if (entry.isOld || entry.pendingReplacement)
        problems.push(`${stack} still has an old copy of ${nameOf(entry.urn)}`);
      else if (!wanted.delete(entry.urn)) problems.push(`${stack} has ${nameOf(entry.urn)} twice, or too long`);
      holders.set(entry.id, [...(holders.get(entry.id) ?? []), `${nameOf(entry.urn)} of ${stack}`]);
      if (entry.kind === "voice") problems.push(...voiceProblems(entry));
      const declared = program.find(({ name, kind }) => urnOf(stack, kind, name) === entry.urn);
      if (entry.kind === "image") problems.push(...imageProblems(entry, declared?.saveTo));
    }
    for (const urn of wanted) problems.push(`${stack} lacks ${nameOf(urn)}`);
  }
  for (const [voice, names] of holders)
    if (names.length > 1 && !ledger.sharedByPerson.has(voice)) problems.push(`${names.join(" and ")} hold ${voice}`);

  const reports = log
    .filter((line) => !/took the voice|is kept: it was made|gone from the list|no longer exists/.test(line))
    .join("\n");
  for (const voice of service.existing()) {
    if (voice.key === undefined || holders.has(voice.voice) || ledger.isGivenUp(voice)) continue;
    if (!reports.includes(voice.voice)) problems.push(`${voice.voice} is left over, and nothing names it`);
  }
  return problems;

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
    if (voice === undefined || voice.deletedMs !== undefined) return [`the voice of ${name} does not exist: ${id}`];
    if (outputs.adopted === true) return [];
    const source =
      outputs.audioSha256 === undefined ? outputs.audio : `https://files.example/${outputs.audioSha256 as string}`;
    if (voice.audio !== source)
      return [`the voice of ${name} was made from ${voice.audio}, not from ${String(source)}`];
    return voice.preferredName === inputs.preferredName ? [] : [`${name} holds a voice of another name: ${id}`];
  }
}
