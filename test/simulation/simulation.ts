import { basename } from "node:path";
import type { Command, Run, Scenario } from "./commands";
import { sha256Of } from "../../provider/src/files";
import { Invariants } from "../support/invariants";
import { Engine, type EngineHooks, type Outcome, type PassedGate } from "./engine";
import { Ledger } from "./ledger";
import { Person, type SimulatedStack } from "./person";
import { Pictures } from "./pictures";
import { Disk, Processes } from "./process";
import { hashOf, secrets } from "./program";
import { apiKey, type Mistake, startProviders } from "./provider";
import { Service } from "./service";
import { pictureOf } from "./service-images";
import { copyOf, type Entry, imagesOf, type Kind, nameOf, type State, urnOf, withoutSecrets } from "./state";
import { Random, World } from "./world";

/** One run: a person, the engine, the package's own code and the service, all in one process and without real time. */
export class Simulation {
  readonly world = new World();
  readonly ledger = new Ledger();
  readonly service: Service;
  readonly person: Person;
  readonly log: string[] = [];
  /** The states that operations without checkpoints have not saved yet. */
  private readonly unsaved = new Set<State>();
  readonly disk = new Disk();
  readonly pictures = new Pictures();
  /** What holds at the end of every run of every test, with the secrets of this run. */
  private readonly invariants = new Invariants();
  /** The resources that were created although a gate before them is closed, because targets left it out. */
  readonly passedGates: { gate: string; name: string }[] = [];
  /** An update looked for the voices of an interrupted run, and no run was interrupted. */
  waitedNeedlessly = false;
  /** Whether an operation failed or was killed. */
  private wasInterrupted = false;
  private readonly runs = new WeakMap<Processes, { run: Run; stack: SimulatedStack }>();
  private uids = 0;

  constructor(
    readonly scenario: Scenario,
    private readonly mistake: Mistake = {},
    /** Receives each call of the provider. */
    private readonly called?: EngineHooks["called"],
    /** Receives each step of a preview. */
    private readonly planned?: EngineHooks["planned"],
  ) {
    const { ledger, world } = this;
    const options = { ...scenario.service };
    this.service = new Service(world, options, {
      billedVoice: (processes, name) => ledger.bill(processes, name),
      billedTask: (processes, prompt) => ledger.bill(processes, prompt),
      lostTask: (intent) => ledger.allowAnother(intent),
      deletedVoice: (processes, voice) => {
        const entries = this.entries().filter(({ id }) => id === voice.voice);
        const staying = entries.filter((entry) => !this.isLeaving(entry, processes));
        ledger.deleted(voice, this.runs.get(processes)!.stack.name, entries, staying);
      },
    });
    this.service.addStrangers(scenario.strangers);
    this.person = new Person(this.service, ledger, new Random(scenario.seed ^ 0x5bd1e995), scenario, this.pictures);
    for (const [what, value] of Object.entries({ key: apiKey, ...secrets })) this.invariants.keepSecret(what, value);
  }

  /** All resources in all states. */
  entries(): Entry[] {
    const saved = this.person.stacks.flatMap(({ state }) => state.entries);
    return this.unsaved.size === 0 ? saved : [...saved, ...[...this.unsaved].flatMap(({ entries }) => entries)];
  }

  /**
   * Whether this operation removes the resource, as the program does not declare it, or as all go. Such a resource can
   * have two entries with one voice after a killed replacement, and the first delete takes it.
   */
  private isLeaving(entry: Entry, processes: Processes): boolean {
    const { run, stack } = this.runs.get(processes)!;
    if (!["up", "destroy"].includes(run.do) || run.targets !== undefined || run.excludes !== undefined) return false;
    const isDeclared =
      run.do === "up" && stack.program.some(({ kind, name }) => urnOf(stack.name, kind, name) === entry.urn);
    return !isDeclared && stack.state.entries.some(({ uid }) => uid === entry.uid);
  }

  async execute(command: Command): Promise<void> {
    switch (command.do) {
      case "wait":
        return this.wait(command.seconds);
      case "together": {
        const { one, other } = command;
        if (this.person.stackAt(one.stack) === this.person.stackAt(other.stack)) return;
        await Promise.all([this.operate(one), this.operate(other)]);
        return;
      }
      case "up":
      case "refresh":
      case "destroy":
      case "preview":
        await this.operate(command);
        return;
      default:
        if (["rename-stack", "move", "restore"].includes(command.do)) this.wasInterrupted = true;
        this.person.edit(command);
    }
  }

  async wait(seconds: number): Promise<void> {
    await this.world.sleep(seconds * 1000);
  }

  async operate(run: Run): Promise<Outcome> {
    const stack = this.person.stackAt(run.stack);
    const random = new Random(run.seed);
    const processes = new Processes(this.world, random, run.kill);
    this.runs.set(processes, { run, stack });
    if (run.clearPendingCreates === true) stack.state.pendingCreates = [];
    stack.history.push(copyOf(stack.state));
    const engine = this.engine(run, stack, processes);
    if (run.withoutCheckpoints === true) this.unsaved.add(engine.state);
    const program = stack.program.map((declared) => ({ ...declared }));
    const shared = this.sharedVoices(stack);
    const known = new Set(stack.state.entries.map(({ uid }) => uid));
    const outcome = await engine.run(
      ...(run.do === "refresh" || run.refresh === true ? [() => engine.refresh()] : []),
      ...(run.do === "up" ? [() => engine.update(program)] : []),
      ...(run.do === "preview" ? [() => engine.preview(program)] : []),
      ...(run.do === "destroy" ? [() => engine.destroy()] : []),
    );
    processes.end();
    this.unsaved.delete(engine.state);
    if (outcome.end !== "ok") this.wasInterrupted = true;
    this.log.push(`${run.do} ${stack.name}: ${outcome.end} ${outcome.errors.join(" | ")}`);
    for (const error of outcome.errors) this.invariants.output("an error", error);
    /** Two processes that take a voice in one update do not see each other. The next update mends it. */
    const isTakenAtOnce = (entries: Entry[]) =>
      entries.every(({ uid }) => !known.has(uid)) && new Set(entries.map((entry) => entry.process)).size > 1;
    if (run.do === "up" && outcome.end === "ok") {
      const isPartial = run.targets !== undefined || run.excludes !== undefined;
      for (const id of this.sharedVoices(stack))
        if ((!isPartial || !shared.has(id)) && !isTakenAtOnce(stack.state.entries.filter((entry) => entry.id === id)))
          this.ledger.violations.push(`two declared resources of ${stack.name} hold ${id}`);
    }
    this.inspect();
    this.shareOfNamesakes();
    return outcome;
  }

  /** The voices that two declared resources of the stack hold, and not because one of them adopted it. */
  private sharedVoices({ name, state, program }: SimulatedStack): Set<string> {
    const declared = new Set(program.map((each) => urnOf(name, each.kind, each.name)));
    const held = state.entries.filter(
      ({ kind, urn, isOld, outputs }) => kind === "voice" && !isOld && declared.has(urn) && outputs.adopted !== true,
    );
    const ids = held.map(({ id }) => id);
    return new Set(ids.filter((id, index) => ids.indexOf(id) < index && !this.ledger.sharedByPerson.has(id)));
  }

  /**
   * Given up: without a `namespace`, two organizations with one project and stack name, one account and one journal share
   * what the plugin pays for, since it is not told its organization.
   */
  private shareOfNamesakes(): void {
    const first = new Map<string, SimulatedStack>();
    for (const stack of this.person.stacks) {
      if (!stack.name.includes("/")) continue;
      for (const { id, process } of stack.state.entries) {
        if (process === 0) continue;
        if ((first.get(id) ?? stack) !== stack) this.ledger.sharedByPerson.add(id);
        first.set(id, stack);
      }
    }
  }

  /** Checks what the operation has left, also if it was killed: the states, the journal and the pictures. */
  private inspect(): void {
    const { invariants, ledger, person, pictures, disk } = this;
    for (const { name, state } of person.stacks) {
      invariants.file(`the state of ${name}`, withoutSecrets(state));
      for (const entry of state.entries)
        if (entry.kind === "image") ledger.violations.push(...this.imageProblems(entry));
    }
    for (const [key, note] of disk.notes) invariants.file(`the note ${key}`, note);
    for (const name of pictures.names) invariants.file(name, "");
    ledger.violations.push(...invariants.take());
  }

  /** State, file and hash agree. */
  private imageProblems(entry: Entry): string[] {
    const expected = sha256Of(pictureOf(entry.id));
    return imagesOf(entry).flatMap(({ sha256, file }) => {
      if (sha256 === undefined) return file === undefined ? [] : [`${nameOf(entry.urn)} has a file without a hash`];
      if (sha256 !== expected) return [`${nameOf(entry.urn)} has the hash of another picture`];
      if (file === undefined || this.pictures.has(file, sha256)) return [];
      return [`the state of ${nameOf(entry.urn)} names ${file}, which is not its picture`];
    });
  }

  /** A resource is created or replaced that the program makes wait for a decision. */
  private passGate({ gate, entry, isTargeted, name }: PassedGate): void {
    if (isTargeted && gate.isClosed)
      this.ledger.violations.push(`${name} is created, and the gate before it is closed`);
    if (!isTargeted && entry?.inputs.expect !== undefined) this.passedGates.push({ gate: gate.name, name });
  }

  /** A line that the package logs. */
  private receive(line: string, run: Run): void {
    this.invariants.output("a log line", line);
    this.log.push(`  ${line}`);
    const [, image] =
      /(\w+): an earlier attempt was interrupted\. The service does not list image tasks/.exec(line) ?? [];
    if (image !== undefined) this.ledger.reportedLostTask(image);
    const [, again] = /the voice (\w+) is created again \(pay-again: accepted\)/.exec(line) ?? [];
    if (again !== undefined) this.ledger.allowNamed(again);
    // The engine shows no state of a resource that is replaced on demand, so its voice is looked for, too. Two stacks of
    // one name in two organizations share their notes, if they have no namespace. And a provider process may not see yet
    // that another one removed a note.
    const hasTwo = (this.scenario.second ?? []).length > 0;
    const sharesNotes = hasTwo || this.person.stacks.some(({ name }) => name.includes("/"));
    const mayWait = this.wasInterrupted || sharesNotes || (run.replaces ?? []).length > 0;
    if (/earlier attempt was interrupted|sent creates whose voices/.test(line) && !mayWait)
      this.waitedNeedlessly = true;
  }

  private engine(run: Run, stack: SimulatedStack, processes: Processes): Engine {
    const { name } = stack;
    const { ledger, service } = this;
    const files = new Map(
      stack.program.filter(({ file }) => file).map((declared) => [`${declared.name}.wav`, hashOf(declared.content)]),
    );
    const start = () =>
      startProviders(
        {
          processes,
          disk: this.disk,
          pictures: this.pictures,
          quota: service.options.quota,
          forms: service.dialect.forms,
          accepts: run.accepts ?? [],
          http: service.http(processes, run.faults === true),
          log: (line) => this.receive(line, run),
          hashOfFile: (path) => files.get(basename(path)),
        },
        this.mistake,
      );
    // Each process reads the states at a time of its own.
    const started = [start(), start()] as const;
    const scoped = (urn: string) => urn.replace(/^urn:pulumi:[^:]+/, `urn:pulumi:${name}`);
    const urns = (names: string[] | undefined) =>
      names?.flatMap((each) => (["voice", "image", "decision"] as Kind[]).map((kind) => urnOf(name, kind, each)));
    const hooks: EngineHooks = {
      beforeCreate: (own, urn, inputs, replaced) => {
        if (replaced) ledger.replace(replaced, inputs);
        ledger.want(own, scoped(urn), inputs, name);
      },
      created: (urn, inputs) => ledger.fulfil(scoped(urn), inputs),
      beforeDelete: (entry) => ledger.askedToDelete({ ...entry, urn: scoped(entry.urn) }),
      readMissing: (entry) => ledger.missed(entry, service, processes),
      newUid: () => ++this.uids,
      passGate: (passed) => this.passGate(passed),
      called: this.called,
      planned: this.planned,
    };
    return new Engine(stack, (process) => (process === 0 ? started[0] : started[1]), processes, hooks, {
      targets: urns(run.targets),
      excludes: run.targets ? undefined : urns(run.excludes),
      replaces: urns(run.replaces),
      parallel: run.parallel ?? 8,
      checkpoints: run.withoutCheckpoints !== true,
    });
  }
}
