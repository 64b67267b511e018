import { describeThrown } from "../../provider/src/describe-thrown";
import { voiceSetType } from "../../provider/src/rules/resource-types";
import type { SetInputs, SetState } from "../../provider/src/rules/voice-set";
import type { Run, Scenario } from "./commands";
import type { Outcome } from "./engine";
import { scenarioOf } from "./generate";
import { Pictures } from "./pictures";
import { Disk, Processes } from "./process";
import { questionsIn } from "../support/questions-in";
import { type Mistake, startProviders } from "./provider";
import { kindOfQuestion, quietSeconds, type Result } from "./run";
import { Service, type SimulatedVoice } from "./service";
import { type AroundEngine, SetEngine, setReader, setResource } from "./set-engine";
import { Random, World } from "./world";

/* Simulated lives of a stack with one `VoiceSet`, on the world, the service and the processes of the other runs. */

export type SetCommand =
  /** The program: the recording of each key. */
  | { do: "declare"; contents: Record<string, number>; keepRemoved?: boolean; deleteBeforeReplace?: boolean }
  /** An earlier program, as after `git revert`. */
  | { do: "revert"; programs: number }
  /** The recording of one key under another key. */
  | { do: "rename"; from: string; to: string }
  | { do: "delete-outside"; key: string }
  | { do: "wait"; seconds: number }
  | Run;

export type SetScenario = Pick<Scenario, "seed" | "service" | "strangers"> & {
  /** Each run has a disk of its own. */
  hasNoJournal?: boolean;
  commands: SetCommand[];
};

const keys = ["a", "b", "c", "d"] as const;

export function setScenario(seed: number): SetScenario {
  const random = new Random(seed ^ 0x7f4a7c15);
  const { service, strangers } = scenarioOf(seed);
  const hasNoJournal = random.chance(0.15);
  const draw = (): SetCommand => ({
    do: "declare",
    contents: Object.fromEntries(keys.filter(() => random.chance(0.6)).map((key) => [key, random.between(0, 4)])),
    ...(random.chance(0.1) && { keepRemoved: true }),
    ...(random.chance(0.15) && { deleteBeforeReplace: true }),
  });
  const edits: (() => SetCommand)[] = [
    ...[draw, draw, draw],
    ...[() => ({ do: "revert" as const, programs: random.between(1, 3) }), () => rename(), () => rename()],
    () => ({ do: "delete-outside", key: random.pick(keys) }),
    () => ({ do: "wait", seconds: random.pick([1, 20, 300, 3600]) }),
  ];
  const rename = (): SetCommand => ({ do: "rename", from: random.pick(keys), to: random.pick(keys) });
  const run = (): Run => {
    const kind = random.next();
    const what = kind < 0.06 ? "preview" : kind < 0.16 ? "refresh" : kind < 0.2 ? "destroy" : "up";
    const made: Run = { do: what, stack: 0, seed: random.between(1, 2 ** 30) };
    if (random.chance(0.35)) made.faults = true;
    if (random.chance(0.4)) {
      const victim = random.pick(["everything", "engine", "engine", "provider"] as const);
      made.kill = { victim, afterEvents: random.between(1, random.pick([10, 30, 80])) };
    }
    if (random.chance(0.1)) made.refresh = true;
    if (random.chance(0.2)) made.answers = ["take", "missing"];
    return made;
  };
  const commands = [draw(), run()];
  for (let count = random.between(3, 9); count > 0; count--) {
    while (random.chance(0.55)) commands.push(random.pick(edits)());
    commands.push(run());
  }
  const quota = random.chance(0.4) ? strangers + random.between(4, 6) : 1000;
  return { seed, strangers, service: { ...service, quota }, ...(hasNoJournal && { hasNoJournal }), commands };
}

const stack = "organization/program/dev";
const urn = `urn:pulumi:dev::program::${voiceSetType}::set`;
const audioOf = (content: number) => `https://files.example/${content}.wav`;

class SetLife {
  readonly world = new World();
  readonly log: string[] = [];
  readonly violations: string[] = [];
  readonly service: Service;
  private readonly engine = new SetEngine();
  private program: SetInputs = { voices: {} };
  private readonly programs: SetInputs[] = [];
  private disk = new Disk();
  billed = 0;
  /** The voices that `keepRemoved` has left in the account, and those that somebody deleted outside Pulumi. */
  private readonly left = new Set<string>();
  private readonly deletedOutside = new Set<string>();
  /** Voices that a person said are deleted, whether they are or not: others may be paid for in their place. */
  private readonly saidDeleted = new Set<string>();
  /** Voices that `keepRemoved` left, and that a later update, maybe a killed one, has taken again. */
  private readonly retaken = new Set<string>();
  /** Names of voices that were deleted although the program wanted them. */
  private readonly lost = new Set<string>();
  private wanted = new Map<string, string>();
  private running: Processes | undefined;
  private paysAgain = false;
  /** Whether a note or a pending operation tells of each run that was interrupted. */
  private isEvident = true;
  private wasInterrupted = false;

  constructor(
    readonly scenario: SetScenario,
    private readonly mistake: Mistake,
  ) {
    this.service = new Service(
      this.world,
      { ...scenario.service },
      {
        billedVoice: (_processes, name, voice) => this.bill(name, voice),
        deletedVoice: (processes, voice) => this.deleted(voice, processes),
        billedTask: () => "",
        lostTask: () => undefined,
      },
    );
    this.service.addStrangers(scenario.strangers);
  }

  async execute(command: SetCommand): Promise<void> {
    switch (command.do) {
      case "declare": {
        const { do: _, contents, ...options } = command;
        const voices = Object.entries(contents).map(([key, content]) => [key, { audio: audioOf(content) }]);
        return this.edit({ voices: Object.fromEntries(voices) as SetInputs["voices"], ...options });
      }
      case "revert":
        return this.edit(this.programs.at(-1 - command.programs) ?? this.program);
      case "rename": {
        const { [command.from]: entry, ...others } = this.program.voices;
        if (entry !== undefined) this.edit({ ...this.program, voices: { ...others, [command.to]: entry } });
        return;
      }
      case "delete-outside": {
        const voice = this.service.voices.get(String(this.engine.saved?.outputs.voices[command.key]?.voice));
        if (voice === undefined || voice.deletedMs !== undefined) return;
        this.service.deleteOutside(voice, 0);
        this.deletedOutside.add(voice.voice);
        return;
      }
      case "wait":
        return this.world.sleep(command.seconds * 1000);
      default:
        await this.answering(command);
    }
  }

  /** Runs the operation, and again with the ids of the questions that it asked, if they are of the kinds that the person answers. */
  private async answering(run: Run): Promise<void> {
    const { errors } = await this.operate(run);
    const asked = [...questionsIn(errors.join())].filter((id) => run.answers?.includes(kindOfQuestion(id)));
    if (asked.length > 0) await this.operate({ ...run, accepts: asked });
  }

  private edit(program: SetInputs): void {
    this.program = program;
    this.programs.push(program);
    this.lost.clear();
  }

  async operate(run: Run): Promise<Outcome> {
    const processes = new Processes(this.world, new Random(run.seed), run.kill);
    this.running = processes;
    if (this.scenario.hasNoJournal) this.disk = new Disk();
    this.paysAgain = run.accepts?.some((id) => kindOfQuestion(id) === "pay-again") === true;
    this.wanted = new Map(
      Object.entries(run.do === "up" ? this.program.voices : {}).map(([key, { audio }]) => [key, String(audio)]),
    );
    const errors: string[] = [];
    const work = async (): Promise<Outcome> => {
      await this.work(run, processes).catch((error: unknown) => errors.push(describeThrown(error).message));
      await processes.engineMoment();
      return { end: errors.length === 0 ? "ok" : "failed", errors };
    };
    const killed = processes.engineKilled.then((): Outcome => ({ end: "killed", errors }));
    const outcome = await Promise.race([work(), killed]);
    processes.end();
    this.log.push(`${run.do} ${JSON.stringify(this.program)}: ${outcome.end} ${errors.join(" | ")}`);
    this.judgeEvidence(run, outcome);
    // Each entry has a voice, if not the one that was deleted.
    if (run.do === "up" && outcome.end === "ok") this.lost.clear();
    if (run.do === "up" && outcome.end === "ok" && this.isEvident) this.violations.push(...this.problemsOfState());
    return outcome;
  }

  /** Without a journal, a pending operation of the last run is all that tells of it. */
  private judgeEvidence(run: Run, { end }: Outcome): void {
    if (!this.scenario.hasNoJournal || run.do === "preview") return;
    const isPending =
      end === "killed" && ["up", "destroy"].includes(run.do) && run.refresh !== true && this.engine.pending.length > 0;
    if (this.wasInterrupted && (end !== "ok" || run.do !== "up")) this.isEvident = false;
    if (end !== "ok" && !isPending) this.isEvident = false;
    // An interrupted create stays pending, as if the set that was destroyed since had never been made.
    if (run.do === "destroy" && this.engine.pending.length > 0) this.isEvident = false;
    this.wasInterrupted = end !== "ok";
  }

  private async work(run: Run, processes: Processes): Promise<void> {
    const { engine } = this;
    const { voiceSet } = startProviders(
      {
        processes,
        disk: this.disk,
        pictures: new Pictures(),
        quota: this.service.options.quota,
        forms: this.service.dialect.forms,
        accepts: run.accepts ?? [],
        http: this.service.http(processes, run.faults === true),
        states: setReader(
          () => ({ [stack]: { urn, saved: engine.saved, pending: engine.pending } }),
          () => new Promise((resolve) => processes.inProvider(100, resolve)),
        ),
        log: (line) => this.receive(line),
        hashOfFile: () => undefined,
      },
      this.mistake,
    );
    const around: AroundEngine = {
      voiceSet,
      resource: setResource(urn),
      call: (work) => processes.call(work),
      moment: () => processes.engineMoment(),
    };
    if (run.do === "refresh" || run.refresh === true) {
      if (this.scenario.hasNoJournal && this.wasInterrupted) this.isEvident = false;
      await engine.refreshSet(around);
    }
    if (run.do === "destroy") await engine.destroySet(around);
    else if (run.do !== "refresh") await engine.updateSet(this.program, around, run.do === "preview");
  }

  private receive(line: string): void {
    this.log.push(`  ${line}`);
    const [, kept] =
      /^the voice (\S+) of .* leaves the set and stays/.exec(line.replace(/^.*?the voice/, "the voice")) ?? [];
    if (kept !== undefined) {
      this.left.add(kept);
      this.retaken.delete(kept);
    }
    const [, taken] = /took the voice (\S+?),? /.exec(line) ?? [];
    if (taken !== undefined) this.retaken.add(taken);
    const [, accepted] =
      /the voice (\S+) counts as (?:deleted|gone|not created) \(missing: accepted\)/.exec(line) ?? [];
    if (accepted !== undefined) this.saidDeleted.add(accepted);
  }

  /** Whether a person has said that the voice, or one of its name, is not there. */
  private isSaid(voice: string): boolean {
    return [...this.saidDeleted].some((said) => voice.includes(said));
  }

  private held(): Map<string, string> {
    const { voices, superseded = [] } =
      this.engine.saved?.outputs ?? ({ voices: {} } as Partial<SetState> & Pick<SetState, "voices">);
    const old = superseded.map(({ key, state }): [string, string] => [state.voice, key]);
    return new Map([
      ...Object.entries(voices).map(([key, { voice }]): [string, string] => [String(voice), key]),
      ...old,
    ]);
  }

  private bill(name: string, voice: string): string {
    this.billed++;
    const isFree = ({ voice: other }: SimulatedVoice) =>
      [undefined, keyIn(name)].includes(this.held().get(other)) &&
      !this.left.has(other) &&
      !this.saidDeleted.has(other);
    const same = this.service.existing().filter((row) => row.preferredName === name && row.voice !== voice);
    const paid = same.filter((row) => row.key !== undefined && isFree(row)).map((row) => row.voice);
    if (this.isEvident && !this.paysAgain) {
      if (paid.length > 0) this.violations.push(`${voice} is paid for beside ${paid.join()}`);
      if (this.lost.has(name)) this.violations.push(`${voice} is paid for again after it was deleted`);
    }
    return name;
  }

  private deleted({ voice, key, preferredName, audio }: SimulatedVoice, processes: Processes): void {
    const holder = this.held().get(voice);
    if (key === undefined) this.violations.push(`a voice of somebody else was deleted: ${voice}`);
    if (this.left.has(voice) && !this.retaken.has(voice) && holder === undefined)
      this.violations.push(`keepRemoved left ${voice}, which was deleted`);
    const name = keyIn(preferredName);
    // A delete of a killed run may arrive while the next one wants the voice.
    const isNow = processes === this.running;
    if (isNow && this.wanted.get(name) === audio && [undefined, name].includes(holder)) this.lost.add(preferredName);
  }

  private problemsOfState(): string[] {
    const voices = this.engine.saved?.outputs.voices ?? {};
    const problems = Object.entries(voices).flatMap(([key, { voice = "" }]) => {
      const found = this.service.voices.get(voice);
      if (this.deletedOutside.has(voice)) return [];
      if (found === undefined || found.deletedMs !== undefined) return [`the voice of ${key} does not exist: ${voice}`];
      const { audio } = this.program.voices[key] ?? {};
      return found.audio === audio
        ? []
        : [`the voice of ${key} was made from ${found.audio}, not from ${String(audio)}`];
    });
    const [made, declared] = [voices, this.program.voices].map((each) => Object.keys(each).sort().join());
    return made === declared ? problems : [...problems, `the state has ${made}, and the program ${declared}`];
  }

  /** The faults are over: an ordinary update must succeed, and after `destroy` nothing is left that nobody named. */
  async endQuietly(): Promise<void> {
    this.log.push(`--- the quiet end${this.isEvident ? "" : ", without evidence"}`);
    const { service, violations } = this;
    const ended = async (what: "up" | "refresh" | "destroy") => {
      let outcome: Outcome = { end: "failed", errors: [] };
      for (let tries = 0, accepts: string[] = []; tries < 4 && outcome.end !== "ok"; tries++) {
        await this.world.sleep(quietSeconds * 1000);
        outcome = await this.operate({ do: what, stack: 0, seed: 1, accepts });
        accepts = [...new Set([...accepts, ...questionsIn(outcome.errors.join())])];
      }
      if (outcome.end !== "ok") violations.push(`the last ${what} fails: ${outcome.errors.join(" | ")}`);
    };
    if (this.deletedOutside.size > 0) await ended("refresh");
    // What stays on purpose may fill the account, and without evidence nothing that a killed run left is taken.
    if (this.left.size > 0 || this.program.keepRemoved === true || !this.isEvident) service.options.quota = 1000;
    await ended("up");
    const { billed } = this;
    await ended("up");
    if (this.billed > billed) violations.push(`an update without changes billed ${this.billed - billed}`);
    await ended("destroy");
    for (const { voice, key } of service.existing())
      if (key !== undefined && !this.left.has(voice) && !this.isSaid(voice) && this.isEvident)
        violations.push(`${voice} is left over`);
  }
}

/** The key for which a name was generated. */
const keyIn = (preferredName: string) => preferredName.split("_")[0] ?? "";

export async function runSets(scenario: SetScenario, mistake: Mistake = {}): Promise<Result> {
  const life = new SetLife(scenario, mistake);
  const { log, violations } = life;
  const work = async () => {
    for (const command of scenario.commands) await life.execute(command);
    await life.endQuietly();
  };
  violations.push(...(await life.world.violationsUntil(work())));
  return { violations: [...new Set(violations)], log, billed: life.billed };
}
