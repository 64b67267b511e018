import type { Command, Forge, Run, Scenario } from "./commands";
import { scenarioOf, withoutInterruptions } from "./generate";
import { questionsIn } from "../support/questions-in";
import type { Mistake } from "./provider";
import {
  answering,
  kindOfQuestion,
  endQuietly,
  followAdvice,
  leftOver,
  quietSeconds,
  type Result,
  runScenario,
  usedStacks,
} from "./run";
import type { Simulation } from "./simulation";
import { Random } from "./world";

/*
 * Runs in which somebody copies entries from one state to another, in one project or two of a backend, in which the key
 * is rotated, and states can't be read now and then. No voice goes that a state holds, and no destroy is blocked without
 * a question.
 */

const names = ["a", "b", "c"] as const;

/** The run of a seed: that of `scenarioOf`, with more commands. */
export function forgedScenario(seed: number): Scenario {
  const random = new Random(seed ^ 0x27d4eb2f);
  const scenario = scenarioOf(seed);
  const inTwoProjects = random.chance(0.6) || scenario.organizations === "in two backends";
  // A name that was made with the former key shows no more which create was interrupted.
  const rotatesKey = random.chance(0.3);
  const secret = rotatesKey ? names.filter(() => random.chance(0.7)) : (scenario.secret ?? []);
  const commands = rotatesKey ? scenario.commands.map(withoutInterruptions) : [...scenario.commands];
  const hasOthers = commands.some(({ do: what }) => what === "add-image" || what === "add-decision" || what === "gate");
  const insert = (...added: Command[]) => commands.splice(random.between(1, commands.length), 0, ...added);
  for (let count = random.between(1, 4); count > 0; count--) insert(...forging(random));
  if (rotatesKey) for (let count = random.between(1, 2); count > 0; count--) insert({ do: "rotate-key" });
  return {
    ...scenario,
    ...(inTwoProjects && { inTwoProjects, organizations: undefined }),
    ...(rotatesKey && { service: { ...scenario.service, silence: 0 } }),
    secret,
    // Without the states, an image or a decision takes what a renamed stack was billed for, instead of paying again.
    commands: hasOthers ? commands : commands.map((command) => hidingStates(command, random)),
  };
}

/** Usually an update that makes the voice, and one of the stack that gets the copy. */
function forging(random: Random): Command[] {
  const from = random.between(0, 1);
  const name = random.pick(names);
  const forge: Forge = {
    ...{ do: "forge", from, to: 1 - from, name },
    ...(random.chance(0.3) && { keepsUrn: true }),
    ...(random.chance(0.3) && { adopted: random.chance(0.8) }),
    ...(random.chance(0.3) && { preferredName: random.pick(["boss", `chosen_${name}`, "a_0000000"]) }),
    ...(random.chance(0.2) && { isOld: true }),
  };
  const run = (stack: number, kinds: readonly Run["do"][]): Run => ({
    ...{ do: random.pick(kinds), stack, seed: random.between(1, 2 ** 30) },
  });
  return [
    ...(random.chance(0.6) ? [run(from, ["up"])] : []),
    forge,
    ...(random.chance(0.8) ? [run(1 - from, ["up", "up", "destroy", "refresh"])] : []),
    ...(random.chance(0.3) ? [run(from, ["up", "destroy"])] : []),
  ];
}

function hidingStates(command: Command, random: Random): Command {
  return "seed" in command && random.chance(0.15) ? { ...command, unreadable: [0, 1, 2, 3] } : command;
}

export function runForged(scenario: Scenario, mistake?: Mistake): Promise<Result> {
  return runScenario(scenario, mistake, async (simulation) => [
    ...(await endQuietly(simulation)),
    ...(await destroyAll(simulation)),
  ]);
}

/** Destroys each stack while the states of the others can't be read. A question may stop it, and nothing else. */
async function destroyAll(simulation: Simulation): Promise<string[]> {
  const { person } = simulation;
  simulation.log.push("--- the destroys");
  for (const [index, stack] of usedStacks(simulation)) {
    const others = [...person.stacks.keys()].filter((each) => each !== index);
    const destroy = (options: Partial<Run>) =>
      simulation.operate({ do: "destroy", stack: index, seed: 1, unreadable: others, ...options });
    let outcome = await answering(simulation, index, (accepts) => destroy({ accepts }));
    for (let tries = 0; tries < 5 && outcome.end !== "ok"; tries++) {
      const { errors } = outcome;
      const asked = new Set([...questionsIn(errors.join("\n"))].map(kindOfQuestion));
      // The list may still show what the last attempt deleted.
      if (asked.size === 0 && !followAdvice(stack, errors.join("\n")) && tries > 0)
        return [`the destroy of ${stack.name} is blocked without a question: ${errors.join(" | ")}`];
      await simulation.wait(quietSeconds);
      // A person who has to say no makes the states readable.
      const unreadable = asked.has("unread") ? [] : others;
      outcome = await answering(simulation, index, (accepts) => destroy({ accepts, unreadable }));
    }
    if (outcome.end !== "ok") return [`the destroy of ${stack.name} fails: ${outcome.errors.join(" | ")}`];
  }
  const held = person.stacks.flatMap(({ name, state }) => state.entries.map(({ urn }) => `${name} still has ${urn}`));
  return [...held, ...leftOver(simulation, new Set())];
}
