import { add, change, type Command, gate, type Run, run as up, type Scenario, takeOut } from "./commands";
import { plainService, type ServiceOptions } from "./service";

/** Runs that broke a promise once, as commands. Others are in test/pulumi/held-voices.test.ts. */

const openGate = gate(false);
const killed = (afterEvents: number): Partial<Run> => ({ kill: { afterEvents, victim: "everything" } });

const deleteFirst = { deleteBeforeReplace: true };

const commandsOf: Record<string, [Command[], Partial<ServiceOptions>?, Partial<Scenario>?]> = {
  "responses are lost, and the list is late": [
    [add("a"), add("b"), add("c"), up({ faults: true })],
    { listLagMs: 10_000, faults: 0.5 },
  ],
  "a run is killed and started again at once, and the list is late": [
    [add("a"), add("b"), up(killed(9)), up()],
    { listLagMs: 10_000 },
  ],
  "a run is killed while creates take long, and started again at once": [
    [add("a"), add("b"), up(killed(5)), up()],
    { workMs: 6000 },
  ],
  "a stack is renamed, and its old name is used again": [
    [add("a"), up(), { do: "rename-stack", stack: 0, reuse: true }, up(), { ...up(), do: "destroy" }],
  ],
  "a refresh looks for a deleted voice so long that the list it read first is out of date": [
    [add("a"), add("b"), up(), { do: "delete-outside", stack: 0, name: "a" }, up({ refresh: true, parallel: 1 })],
    { listLagMs: 30_000 },
  ],
  "a voice is destroyed and created again while the list still shows it": [
    [add("a"), up(), { ...up(), do: "destroy" }, up()],
    { deletedLagMs: 30_000 },
  ],
  // The gate is first, so the process that adopts has read the journal before the other one deletes.
  "a voice is adopted that another process of the update has deleted, while the list still shows it": [
    [
      ...[add("c"), openGate, up(), { do: "adopt", stack: 0, name: "b", from: "c" } as Command, takeOut("gate")],
      ...[add("c", { first: true }), openGate, change("c", { options: { ...deleteFirst, file: true } }), up()],
    ],
    { deletedLagMs: 30_000 },
    { second: ["c"] },
  ],
  "--replace comes while the list does not show a new voice": [
    [add("a"), up(), up({ replaces: ["a"] })],
    { listLagMs: 30_000 },
  ],
  "--replace is killed and comes again while the list does not show what the killed one made": [
    [add("a"), add("b"), up(), up({ ...killed(9), replaces: ["a", "b"] }), up({ replaces: ["a"] })],
    { listLagMs: 30_000 },
  ],
};

export const caseNames = Object.keys(commandsOf);

/** The case with other chances: how long requests take, which of them fail, what comes first, when the kill comes. */
export function caseOf(name: string, seed: number): Scenario {
  const [commands, other, scenario] = commandsOf[name]!;
  const withSeed = (command: Command, index: number): Command => {
    if (!("seed" in command)) return command;
    const run = { ...command, seed: seed * 100 + index };
    return command.kill
      ? { ...run, kill: { ...command.kill, afterEvents: command.kill.afterEvents + (seed % 8) } }
      : run;
  };
  return { seed, strangers: 1, service: { ...plainService, ...other }, commands: commands.map(withSeed), ...scenario };
}
