import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { add, change, type Command, gate, type Run, run, takeOut } from "../simulation/commands";
import { type Declaration, gateOf, goalOf, type Program } from "../simulation/program";
import { plainService } from "../simulation/service";
import { Simulation } from "../simulation/simulation";
import { nameOf } from "../simulation/state";
import { emulate } from "../support/emulate";
import { linesOf, put, root, temporaryFolder } from "../support/files";
import { fastStart } from "../support/stack";
import { Stack as AnyStack } from "../../tools/stack";

/** The simulated engine (test/simulation/engine.ts) calls the provider as the real one does, for each resource. */

const rename = (name: string, to: string): Command => ({ do: "rename", stack: 0, name, to, alias: true });
const waitForGate = (name: string): Command => ({ do: "wait-for-gate", stack: 0, name, waits: true });

/** A copy that an interrupted replacement left in the state, marked for deletion. */
const leaveOldCopy = "leave an old copy of a";

test.each<[string, (Command | typeof leaveOldCopy)[]]>([
  [
    "creates, keeps what is unchanged, and replaces what changes or --replace names, in both orders",
    [
      ...[add("a"), add("b"), run(), run(), run({ do: "preview" })],
      ...[change("a", { trigger: 1 }), run(), run({ replaces: ["a"] })],
      ...[change("a", { trigger: 2, options: { deleteBeforeReplace: true } }), run(), run({ replaces: ["a"] })],
    ],
  ],
  [
    "renames by an alias, also outside the targets, and leaves out what an update does not target, or excludes",
    [
      ...[add("a"), add("b"), run(), rename("a", "c"), run({ targets: ["b"] }), run({ targets: ["c"] }), run()],
      ...[
        change("c", { trigger: 1 }),
        takeOut("b"),
        run({ targets: ["c"] }),
        add("d"),
        run({ excludes: ["b", "d"] }),
        run(),
      ],
    ],
  ],
  [
    "deletes old copies last, unless they are not targeted",
    [...[add("a"), add("b"), run(), leaveOldCopy, run({ targets: ["b"] }), run()]] as (Command | typeof leaveOldCopy)[],
  ],
  [
    "stops at a closed gate, unless targets leave it out, which they can't before it was asked",
    [
      ...[add("a"), gate(true), waitForGate("a"), run({ targets: ["a"] }), run(), run(), run({ targets: ["a"] })],
      ...[add("b"), waitForGate("b"), run({ do: "refresh" }), run(), gate(false), run()],
    ],
  ],
  [
    "refreshes, and destroys",
    [
      ...[add("a"), add("b"), run(), run({ do: "refresh" }), run({ refresh: true })],
      ...[run({ do: "destroy", targets: ["b"] }), run({ do: "destroy" })],
    ],
  ],
])("%s", async (_, commands) => {
  const emulator = await emulate();
  const { modules, takeCalls } = recordingModules();
  const stack = await AnyStack.in(temporaryFolder(), emulator, { modules, settings: fastStart });
  const { simulation, calls } = recordedSimulation();
  const simulated = simulation.person.stackAt(0);

  for (const [index, command] of commands.entries()) {
    if (command === leaveOldCopy) {
      const [entry] = simulated.state.entries;
      simulated.state.entries.push({ ...entry!, uid: -1, isOld: true });
      await addOldCopy(stack);
      continue;
    }
    await simulation.world.runUntil(simulation.execute(command));
    if (!("seed" in command)) continue;
    stack.program(simulated.program.map((each) => textOf(each, simulated.program)).join("\n"));
    await stack.pulumi(...argumentsOf(command, await urnPrefix(stack)));
    expect({ index, calls: sorted(takeCalls()) }).toEqual({ index, calls: sorted(calls) });
    calls.clear();
  }
});

function recordedSimulation() {
  const calls = new Map<string, string[]>();
  const scenario = { seed: 1, strangers: 0, commands: [], service: plainService };
  const simulation = new Simulation(scenario, {}, (method, urn, hasOlds) => {
    const name = nameOf(urn);
    const { program } = simulation.person.stackAt(0);
    const label = labelOf(
      program.find((declared) => declared.name === name),
      name,
    );
    const call = method === "check" ? `check(${hasOlds ? "olds" : "{}"})` : method;
    calls.set(label, [...(calls.get(label) ?? []), call]);
  });
  return { simulation, calls };
}

/** The name that the resource had first. */
function labelOf(declared: Declaration | undefined, name: string): string {
  return declared?.aliases.at(-1) ?? name;
}

function textOf(declared: Declaration, program: Program): string {
  const { name, kind, content, trigger, model, aliases, deleteBeforeReplace } = declared;
  const triggers = [labelOf(declared, name), trigger];
  if (kind === "decision") {
    const { state, questions, expect } = goalOf("dev", declared);
    return `const ${name} = new cv.Decision("${name}", ${JSON.stringify({ state, questions, expect, triggers })});`;
  }
  const inputs = { targetModel: model, audio: `https://audio.example/${content}`, triggers };
  const options = { aliases: aliases.map((alias) => ({ name: alias })), deleteBeforeReplace };
  const waits = gateOf(declared, program) ? ", dependsOn: gate" : "";
  const text = JSON.stringify(options).replace(/}$/, `${waits}}`);
  return `new cv.CloudVoice(${JSON.stringify(name)}, ${JSON.stringify(inputs)}, ${text});`;
}

function argumentsOf({ do: what, targets, excludes, replaces, refresh }: Run, prefix: string): string[] {
  const named = (option: string, names: string[] = []) => names.flatMap((name) => [option, `${prefix}::${name}`]);
  const limits = [...named("--target", targets), ...named("--exclude", excludes), ...named("--replace", replaces)];
  if (what === "preview") return ["preview", ...limits];
  return [what, "--yes", "--skip-preview", ...limits, ...(refresh === true ? ["--refresh"] : [])];
}

async function urnPrefix(stack: AnyStack): Promise<string> {
  const [any] = await stack.resources();
  return any === undefined ? "**" : any.urn.slice(0, any.urn.lastIndexOf("::")).replace("Decision", "CloudVoice");
}

async function addOldCopy(stack: AnyStack): Promise<void> {
  const state = JSON.parse(await stack.state()) as { deployment: { resources: { urn: string }[] } };
  const live = state.deployment.resources.find(({ urn }) => urn.endsWith("::a"));
  state.deployment.resources.push({ ...live!, ...{ delete: true } });
  await stack.setState(JSON.stringify(state));
}

function sorted(calls: ReadonlyMap<string, string[]>): [string, string[]][] {
  return [...calls].sort(([a], [b]) => a.localeCompare(b));
}

/**
 * A `node_modules` folder whose `pulumi-cloudvoice/provider` writes each call to a file before it delegates to the
 * built package. A resource is known by the first of its `triggers`, because no call names its resource.
 */
function recordingModules() {
  const modules = temporaryFolder();
  const file = join(modules, "calls.jsonl");
  const dist = join(root, "provider", "dist");
  mkdirSync(join(modules, "pulumi-cloudvoice"));
  symlinkSync(join(root, "node_modules", "@pulumi"), join(modules, "@pulumi"));
  put(modules, "pulumi-cloudvoice/package.json", JSON.stringify({ name: "pulumi-cloudvoice", main: "index.js" }));
  put(modules, "pulumi-cloudvoice/index.js", `module.exports = require(${JSON.stringify(join(dist, "index.js"))});`);
  put(
    modules,
    "pulumi-cloudvoice/provider.js",
    `const { appendFileSync } = require("node:fs");
const real = require(${JSON.stringify(join(dist, "provider.js"))});
const described = {
  check: (olds, news) => ["check" + (Object.keys(olds).length > 0 ? "(olds)" : "({})"), news],
  diff: (id, olds) => ["diff", olds],
  create: (inputs) => ["create", inputs],
  update: (id, olds) => ["update", olds],
  read: (id, props) => ["read", props],
  delete: (id, props) => ["delete", props],
};
for (const [name, provider] of Object.entries(real)) {
  exports[name] = { ...provider };
  for (const [method, describe] of Object.entries(described))
    exports[name][method] = (...args) => {
      const [call, properties] = describe(...args);
      appendFileSync(${JSON.stringify(file)}, JSON.stringify([String(properties.triggers[0]), call]) + "\\n");
      return provider[method](...args);
    };
}
`,
  );
  return {
    modules,
    takeCalls: () => {
      const calls = new Map<string, string[]>();
      for (const line of linesOf(file)) {
        const [resource, call] = JSON.parse(line) as [string, string];
        calls.set(resource, [...(calls.get(resource) ?? []), call]);
      }
      rmSync(file, { force: true });
      return calls;
    },
  };
}
