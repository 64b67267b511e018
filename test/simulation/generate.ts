import type { Command, Run, Scenario, VoiceOptions } from "./commands";
import type { Kill, Victim } from "./process";
import { Random } from "./world";

/** Few names and contents, so that runs meet the same name again. */
const names = ["a", "b", "c"] as const;

/** The run of a seed. A quiet one is of one stack, at a service without lags and faults, and nothing is killed. */
export function scenarioOf(seed: number, isQuiet = false): Scenario {
  const random = new Random(seed);
  const commands: Command[] = [];
  const stacks = !isQuiet && random.chance(0.4) ? 2 : 1;
  const make = new Commands(random, isQuiet, stacks);
  for (let stack = 0; stack < stacks; stack++)
    for (let count = random.between(1, 3); count > 0; count--) commands.push(make.add(stack));
  for (let count = random.between(3, 9); count > 0; count--) commands.push(...make.next());
  // Not from the same random numbers: without them, a run is what it was.
  const more = new Random(seed ^ 0x3c6ef372);
  const inTwoOrganizations = stacks > 1 && more.chance(0.3);
  const second = more.chance(0.3) && !isQuiet ? [more.pick(names)] : [];
  const areAlike = more.chance(0.2) && !isQuiet;
  const possible = commands.map((command) => (areAlike && more.chance(0.5) ? asImage(command) : command));
  const others = new Random(seed ^ 0x1b873593);
  const hasFiles = others.chance(0.3);
  const hasGate = others.chance(0.2);
  const secret = others.chance(0.3) ? [others.pick(names)] : [];
  return {
    seed,
    inTwoOrganizations,
    second,
    areAlike,
    secret,
    strangers: random.between(0, 3),
    service: {
      listLagMs: isQuiet ? 0 : random.pick([0, 10_000, 30_000]),
      deletedLagMs: isQuiet ? 0 : random.pick([0, 10_000, 30_000]),
      workMs: random.pick([500, 6000, 6000, 50_000]),
      pageRows: random.pick([2, 10, 1000]),
      total: random.chance(0.7),
      nested: random.chance(0.7),
      quota: random.chance(0.1) ? 6 : 1000,
      faults: random.pick([0, 0.05, 0.2]),
      dialect: seed,
      silence: !isQuiet ? new Random(~seed).pick([0, 0.05, 0.2]) : 0,
    },
    commands: possible
      .flatMap((command) => (hasFiles ? withFiles(command, others) : command))
      .flatMap((command) => (hasGate ? withGate(command, others) : command))
      .map((command) => (command.do === "adopt" && others.chance(0.3) ? { ...command, keep: true } : command)),
  };
}

function asImage(command: Command): Command {
  return command.do === "add" ? { do: "add-image", stack: command.stack, name: command.name, content: 0 } : command;
}

const folders = ["one", "one", "two"] as const;

/** The command, with edits of files before it. Most resources are images. */
function withFiles(command: Command, random: Random): Command[] {
  if (command.do === "add" || command.do === "add-image") {
    const { stack, name, content } = command;
    if (command.do === "add" && random.chance(0.3)) return [command];
    const added: Command = { do: "add-image", stack, name, content };
    return random.chance(0.2) ? [added] : [added, { do: "save-to", stack, name, folder: random.pick(folders) }];
  }
  if (!("seed" in command) || random.chance(0.6)) return [command];
  const subject = { stack: command.stack, name: random.pick(names) };
  const edit: Command = random.chance(0.6)
    ? { do: "save-to", ...subject, folder: random.pick([...folders, undefined]) }
    : { do: "touch-files", ...subject, edit: random.chance(0.3) };
  return [edit, command];
}

/** The command, with edits of the gate before it. Targets name the gate, or leave it out. */
function withGate(command: Command, random: Random): Command[] {
  if (!("seed" in command)) return [command];
  const { stack, targets, excludes } = command;
  const run: Command = {
    ...command,
    ...(targets && random.chance(0.5) && { targets: [...targets, "gate"] }),
    ...(excludes && random.chance(0.5) && { excludes: [...excludes, "gate"] }),
  };
  const edits: Command[] = [];
  if (random.chance(0.4)) edits.push({ do: "gate", stack, isClosed: random.chance(0.5) });
  if (random.chance(0.4))
    edits.push({ do: "wait-for-gate", stack, name: random.pick(names), waits: random.chance(0.8) });
  if (random.chance(0.05)) edits.push({ do: "take-out", stack, name: "gate" });
  return [...edits, run];
}

class Commands {
  /** The content that each name was declared with last. */
  private readonly contents = new Map<string, number>();
  private formerName: string | undefined;

  constructor(
    private readonly random: Random,
    private readonly isQuiet: boolean,
    private readonly stacks: number,
  ) {}

  /** Usually an edit or two, and then an operation. */
  next(): Command[] {
    const { random } = this;
    if (this.stacks > 1 && random.chance(0.2)) return [{ do: "together", one: this.run(0), other: this.run(1) }];
    const edits: Command[] = [];
    while (random.chance(0.45)) edits.push(this.edit());
    if (random.chance(0.15)) edits.push({ do: "wait", seconds: random.pick([1, 20, 300, 26 * 3600]) });
    if (random.chance(0.1)) edits.push(this.outside());
    return [...edits, this.run(this.stack())];
  }

  add(stack = this.stack()): Command {
    const { random } = this;
    // People often declare a former name again, with the content that it had.
    const former = this.formerName !== undefined && random.chance(0.4) ? this.formerName : undefined;
    const name = former ?? this.name();
    const content = former === undefined ? random.between(0, 2) : (this.contents.get(former) ?? 0);
    this.contents.set(name, content);
    const resource = { stack, name, content };
    if (former !== undefined) return { do: "add", ...resource, first: random.chance(0.5) };
    if (random.chance(0.12))
      return { do: random.pick(["add-image", "add-image", "add-decision"] as const), ...resource };
    return { do: "add", ...resource, first: random.chance(0.5), ...this.options() };
  }

  private edit(): Command {
    const { random } = this;
    const [stack, name] = [this.stack(), this.name()];
    const changed = random.chance(0.7) ? { content: random.between(0, 2) } : { trigger: random.between(0, 2) };
    const usual: (() => Command)[] = [
      () => this.add(),
      () => this.add(),
      () => ({ do: "take-out", stack, name }),
      () => ({ do: "change", stack, name, ...changed, ...this.options() }),
      () => ({ do: "change", stack, name, ...changed }),
    ];
    const renames: (() => Command)[] = [
      () => ({ do: "rename", stack, name: this.former(name), to: this.name(), alias: random.chance(0.75) }),
      () => ({ do: "rename", stack, name: this.former(name), to: this.name(), alias: random.chance(0.75) }),
      () => ({ do: "adopt", stack, name: this.name(), from: random.chance(0.7) ? this.former(name) : undefined }),
    ];
    const moves: (() => Command)[] = [
      () => ({ do: "rename-stack", stack, reuse: random.chance(0.5) }),
      () => ({ do: "move", from: stack, to: this.stack(), name, keepDeclared: random.chance(0.3) }),
    ];
    const kind = random.next();
    if (!this.isQuiet && kind < 0.12) return random.pick(moves)();
    if (kind > 0.65) return random.pick(renames)();
    return random.pick(usual)();
  }

  private former(name: string): string {
    this.formerName = name;
    return name;
  }

  private outside(): Command {
    const { random } = this;
    const stack = this.stack();
    if (random.chance(0.6)) return { do: "delete-outside", stack, name: this.name() };
    return { do: "restore", stack, operations: random.between(1, 3) };
  }

  private options(): { options?: VoiceOptions } {
    const { random } = this;
    if (!random.chance(0.3)) return {};
    const options: VoiceOptions = {};
    if (random.chance(0.4)) options.deleteBeforeReplace = random.chance(0.7);
    if (random.chance(0.3)) options.file = random.chance(0.7);
    if (random.chance(0.25)) options.ignoreAudio = random.chance(0.7);
    if (random.chance(0.15)) options.chosenName = random.chance(0.7);
    if (random.chance(0.15)) options.protect = random.chance(0.5);
    return { options };
  }

  private run(stack: number): Run {
    const { random, isQuiet } = this;
    const run: Run = { do: "up", stack, seed: random.between(1, 2 ** 30) };
    const kind = random.next();
    if (kind < 0.08) run.do = "preview";
    else if (kind < 0.16) run.do = "refresh";
    else if (kind < 0.2) run.do = "destroy";
    if (run.do === "up" && random.chance(0.1)) run.refresh = true;
    if (random.chance(0.3)) run.parallel = random.between(1, 3);
    if (!isQuiet && random.chance(0.4)) run.faults = true;
    if (!isQuiet && random.chance(0.35)) run.kill = this.kill();
    if (!isQuiet && random.chance(0.05)) run.withoutCheckpoints = true;
    if (run.do === "refresh" && random.chance(0.3)) run.clearPendingCreates = true;
    const kindOfLimit = random.next();
    if (kindOfLimit < 0.12) run.targets = this.someNames();
    else if (kindOfLimit < 0.2) run.excludes = this.someNames();
    if (random.chance(0.06)) run.replaces = this.someNames();
    return run;
  }

  private kill(): Kill {
    const { random } = this;
    const victim = random.pick<Victim>(["everything", "engine", "engine", "provider"]);
    // Most operations are short, and most interesting moments are early.
    return { victim, afterEvents: random.between(1, random.pick([8, 25, 60])) };
  }

  private someNames(): string[] {
    return names.filter(() => this.random.chance(0.5));
  }

  private name(): string {
    return this.random.pick(names);
  }

  private stack(): number {
    return this.random.between(0, this.stacks - 1);
  }
}
