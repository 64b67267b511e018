import type { Command, Run, Scenario } from "./commands";
import { plainService } from "./service";

/**
 * Drops commands and simplifies the rest for as long as the scenario still fails in the same way. Each command has a
 * seed of its own, so dropping one changes nothing in the others.
 */
export async function shrink<Result extends { violations: string[] }>(
  scenario: Scenario,
  run: (scenario: Scenario) => Promise<Result>,
  most = 1500,
): Promise<{ scenario: Scenario; result: Result }> {
  let best = { scenario, result: await run(scenario) };
  const kind = kindOf(best.result);
  for (let tried = 0, improved = true; improved && tried < most;) {
    improved = false;
    for (const simpler of simplerThan(best.scenario)) {
      if (++tried > most) break;
      const result = await run(simpler);
      if (result.violations.length === 0 || kindOf(result) !== kind) continue;
      best = { scenario: simpler, result };
      improved = true;
      break;
    }
  }
  return best;
}

/** The first violation without names and numbers: a simpler scenario must not fail for another reason. */
function kindOf({ violations }: { violations: string[] }): string {
  return (violations[0] ?? "").replace(/[:\d].*/s, "").replace(/\b(a|b|c|dev|prod|x+)\b/g, "");
}

function* simplerThan(scenario: Scenario): Generator<Scenario> {
  const { commands, service } = scenario;
  for (let length = Math.ceil(commands.length / 2); length >= 1; length = length === 1 ? 0 : Math.ceil(length / 2))
    for (let at = 0; at + length <= commands.length; at++)
      yield { ...scenario, commands: [...commands.slice(0, at), ...commands.slice(at + length)] };
  for (const [at, command] of commands.entries())
    for (const simpler of simplerCommands(command)) {
      const replaced = [...commands];
      replaced[at] = simpler;
      yield { ...scenario, commands: replaced };
    }
  if (scenario.strangers > 0) yield { ...scenario, strangers: 0 };
  for (const [name, value] of Object.entries({ ...plainService }))
    if (service[name as keyof typeof service] !== value) yield { ...scenario, service: { ...service, [name]: value } };
}

function* simplerCommands(command: Command): Generator<Command> {
  if (command.do === "together") {
    yield command.one;
    yield command.other;
    for (const one of simplerCommands(command.one)) yield { ...command, one: one as Run };
    for (const other of simplerCommands(command.other)) yield { ...command, other: other as Run };
    return;
  }
  for (const name of optionalFields) if (name in command) yield without(command, name);
  if ("options" in command)
    for (const name of Object.keys(command.options ?? {}))
      yield { ...command, options: without(command.options ?? {}, name) };
  if ("content" in command && command.content) yield { ...command, content: 0 };
  if ("stack" in command && command.stack > 0) yield { ...command, stack: 0 };
  if ("seed" in command && command.seed !== 1) yield { ...command, seed: 1 };
  if ("kill" in command && command.kill && command.kill.victim !== "everything")
    yield { ...command, kill: { ...command.kill, victim: "everything" } };
  if (command.do === "wait" && command.seconds > 1) yield { ...command, seconds: 1 };
}

const optionalFields = [
  ...["kill", "faults", "targets", "excludes", "replaces", "refresh", "parallel", "withoutCheckpoints"],
  ...["clearPendingCreates", "options", "trigger"],
  ...["keepsUrn", "adopted", "preferredName", "isOld"],
];

function without<T extends object>(value: T, name: string): T {
  return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name)) as T;
}

/** The commands, one a line. */
export function describe({ service, strangers, commands }: Scenario): string {
  const lines = commands.map(describeCommand);
  return [`service ${JSON.stringify(service)}, ${strangers} voices of strangers`, ...lines].join("\n");
}

function describeCommand(command: Command): string {
  if (command.do === "together")
    return `together ${describeCommand(command.one)} AND ${describeCommand(command.other)}`;
  const { do: what, ...rest } = command;
  return `${what} ${JSON.stringify(rest)}`;
}
