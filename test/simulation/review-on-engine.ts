import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import { savedPath } from "../../provider/src/pulumi/shared/declared-path";
import type { Review } from "../../provider/src/cli/review/review";
import { root } from "../../tools/local";
import type { Run as Ran, Stack } from "../../tools/stack";
import type { Command, Run } from "./commands";
import { type Declaration, gateOf, goalOf, type Program } from "./program";
import { limitsOf, problems, reviewScenario, type ReviewedRun } from "./review";
import { Simulation } from "./simulation";
import { nameOf } from "./state";

/**
 * The comparison of review.ts on the real engine: a simulated person edits the program, the command line reviews each
 * update, and the engine runs it on an emulator. `stack` is a new one.
 */
export async function reviewsOnEngine(seed: number, stack: Stack, emulator: Emulator): Promise<ReviewedRun> {
  const scenario = reviewScenario(seed);
  const simulation = new Simulation({ ...scenario, strangers: 0 });
  const found: ReviewedRun = { compared: 0, violations: [], log: [] };
  const limits = limitsOf(seed);
  const limited = stack.with({
    CLOUDVOICE_VOICE_QUOTA: String(limits.quota),
    ...(limits.stackQuota !== undefined && { CLOUDVOICE_STACK_QUOTA: String(limits.stackQuota) }),
  });
  for (const command of scenario.commands) {
    if (!isSupported(command)) continue;
    if (command.do === "delete-outside") await vanish(command.name, limited, emulator);
    if (command.do !== "up") await simulation.world.runUntil(simulation.execute(command));
    if (!("seed" in command)) continue;
    const declared = simulation.person.stackAt(0).program;
    putRecordings(stack.folder, declared);
    stack.program(declared.map((each) => textOf(each, declared)).join("\n"));
    if (command.do === "up") {
      const violations = await compare(command, limited, emulator, simulation);
      found.compared++;
      found.log.push(`${JSON.stringify(command)}: ${violations.length} differences`);
      if (violations.length > 0) found.violations.push(`update ${found.compared} of seed ${seed}`, ...violations);
    } else await limited.pulumi(...argumentsOf(command, await urnsOf(limited)));
  }
  return found;
}

/** What is the same in both worlds. The voices to adopt have other names, and old states are put back in one only. */
function isSupported(command: Command): boolean {
  return !["adopt", "restore", "wait", "touch-files", "preview"].includes(command.do);
}

async function compare(run: Run, stack: Stack, emulator: Emulator, simulation: Simulation): Promise<string[]> {
  const limits = argumentsOf({ ...run, refresh: false }, await urnsOf(stack)).slice(3);
  const isLimited = (run.targets ?? run.excludes) !== undefined;
  const preview = limits.length > 0 ? await stack.pulumi("preview", "--json", "--show-sames", ...limits) : undefined;
  const reviewed = await review(stack, preview);
  if (reviewed.review === undefined) return [`the review fails: ${reviewed.output}`];
  const missing = reviewed.review.changes.filter(({ why }) => why.startsWith("missing at the service")).length;
  const refresh = !isLimited && (missing > 0 || run.refresh === true);
  const before = emulator.ledger().length;
  const voicesBefore = emulator.voices().length;
  const oldCopies = (await stack.resources()).flatMap(({ id, delete: isOld }) => (isOld === true && id ? [id] : []));

  simulation.passedGates.length = 0;
  await simulation.world.runUntil(simulation.execute({ ...run, refresh }));
  const ran = await stack.up(...limits, ...(refresh ? ["--refresh"] : []));
  const entries = emulator.ledger().slice(before);
  let [existing, peak] = [voicesBefore, voicesBefore];
  for (const { voice, deleted } of entries) {
    existing += Number(voice !== undefined) - Number(deleted !== undefined);
    peak = Math.max(peak, existing);
  }
  const seen = {
    voices: entries.filter(({ voice }) => voice !== undefined).length,
    images: entries.filter(({ task }) => task !== undefined).length,
    decisions: entries.filter(({ action, status }) => action === "decide" && status === 200).length,
    ...{ peak, existing },
    deleted: new Set(entries.flatMap(({ deleted }) => deleted ?? [])),
    states: (await stack.resources()).map(({ urn, id = "" }) => ({ urn, id })),
    passedGates: simulation.passedGates,
  };
  const outcome = { end: ran.code === 0 ? ("ok" as const) : ("failed" as const), errors: [ran.output] };
  const asksAboutMissing = reviewed.review.questions.some(({ kind }) => kind === "missing");
  const facts = { run, missing, asksAboutMissing, refresh, isLimited, oldCopies };
  const differences = problems(reviewed.review, outcome, seen, facts);
  return differences.length === 0 ? [] : [...differences, JSON.stringify(reviewed.review.changes), ran.output];
}

/** `review` runs the preview itself, unless the preview is limited to targets. */
async function review(stack: Stack, preview: Ran | undefined): Promise<{ review?: Review; output: string }> {
  const args = ["review", ...(preview ? ["-", "--stack", "dev"] : []), "--json"];
  const { folder, env } = stack;
  const child = spawn(process.execPath, [join(root, "provider", "dist", "cli.js"), ...args], { cwd: folder, env });
  let [stdout, output] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => (output += data.toString()));
  child.stdin.on("error", () => undefined).end(preview?.stdout ?? "");
  await new Promise((resolve) => child.once("close", resolve));
  return stdout.startsWith("{") ? { review: JSON.parse(stdout) as Review, output } : { output };
}

async function vanish(name: string, stack: Stack, emulator: Emulator): Promise<void> {
  for (const { urn, id, type } of await stack.resources())
    if (type.endsWith(":CloudVoice") && nameOf(urn) === name && emulator.voices().some(({ voice }) => voice === id))
      emulator.vanish("default", id!);
}

/** Other bytes for each content. */
function putRecordings(folder: string, program: Program): void {
  mkdirSync(join(folder, "audio"), { recursive: true });
  for (const { name, file, content } of program)
    if (file) copyFileSync(join(folder, ["a.wav", "b.mp3", "c.m4a"][content % 3]!), join(folder, `audio/${name}.wav`));
}

function textOf(declared: Declaration, program: Program): string {
  const { name, kind, aliases, protect, deleteBeforeReplace, ignoreAudio } = declared;
  const { identity: _, secretInputs, images: _images, taskOutput: _output, ...inputs } = goalOf("dev", declared);
  if (typeof inputs.audio === "string") inputs.audio = savedPath(inputs.audio);
  const values = Object.entries(inputs).map(([input, value]) => {
    const isSecret = Array.isArray(secretInputs) && secretInputs.includes(input);
    return `${input}: ${isSecret ? `pulumi.secret(${JSON.stringify(value)})` : JSON.stringify(value)}`;
  });
  const gate = gateOf(declared, program);
  const options = [
    `aliases: ${JSON.stringify(aliases.map((alias) => ({ name: alias })))}`,
    ...[`protect: ${protect}`, `deleteBeforeReplace: ${deleteBeforeReplace}`],
    ...(ignoreAudio ? ['ignoreChanges: ["audio"]'] : []),
    ...(gate ? [`dependsOn: [${variable(gate)}]`] : []),
  ];
  const type = { voice: "CloudVoice", image: "GeneratedImage", decision: "Decision" }[kind];
  const args = `${JSON.stringify(name)}, { ${values.join(", ")} }, { ${options.join(", ")} }`;
  return `const ${variable(declared)} = new cv.${type}(${args});`;
}

const variable = ({ kind, name }: Declaration) => `${kind}_${name}`;

type Urns = (names: string[] | undefined) => string[];

/** A target must be in the state or in the program. Each kind has a URN of its own. */
async function urnsOf(stack: Stack): Promise<Urns> {
  const known = (await stack.resources()).map(({ urn }) => urn);
  return (names = []) => {
    return names.flatMap((name) => {
      const saved = known.filter((urn) => nameOf(urn) === name);
      return saved.length > 0 ? saved : [`**::${name}`];
    });
  };
}

function argumentsOf({ do: what, targets, excludes, replaces, refresh }: Run, urns: Urns): string[] {
  const named = (option: string, names: string[] | undefined) => urns(names).flatMap((urn) => [option, urn]);
  return [
    ...[what, "--yes", "--skip-preview"],
    ...[...named("--target", targets), ...named("--exclude", excludes), ...named("--replace", replaces)],
    ...(refresh === true ? ["--refresh"] : []),
  ];
}
