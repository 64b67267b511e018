import type { Emulator } from "../../provider/emulator";
import type { Props } from "../../provider/src/lifecycle/lifecycle";
import type { Clock } from "../../provider/src/service/clock";
import type { Http } from "../../provider/src/service/http";
import { Engine, type EngineHooks, type EngineOptions } from "../simulation/engine";
import { Pictures } from "../simulation/pictures";
import { Processes } from "../simulation/process";
import { type Declaration, declaration } from "../simulation/program";
import { started } from "../simulation/provider";
import { type Kind, type State, urnOf, withoutSecrets } from "../simulation/state";
import { Random, World } from "../simulation/world";
import { invariants } from "./invariants";
import { journalIn } from "./journal";
import { lifecyclesOf } from "./operation";
import { fakeClock } from "./service";

/** The fields of a resource in the program that differ from those of the usual voice. */
export type Voice = Partial<Declaration> & { name: string };

/** How an operation ended. */
export interface Ended {
  ok: boolean;
  /** The errors, as one text. */
  error: string;
  /** What the package logged, as one text. */
  log: string;
}

const kinds: readonly Kind[] = ["voice", "image", "decision"];

interface Options {
  targets?: string[];
  excludes?: string[];
  replaces?: string[];
  refresh?: boolean;
}

/** Nothing waits: the emulator answers in real time. */
class HereAndNow extends World {
  override after(_ms: number, work: () => void): void {
    setImmediate(work);
  }
}

const noHooks: EngineHooks = {
  ...{ beforeCreate: () => undefined, created: () => undefined, beforeDelete: () => undefined },
  ...{ readMissing: () => undefined, newUid: () => 0 },
};

/**
 * A stack of the simulated engine, whose calls are those of the real one (test/simulation/engine-calls.test.ts), with the
 * package's own life cycles, on an emulator. An operation takes milliseconds, and no wait takes time.
 */
export class SimulatedStack {
  state: State = { entries: [], pendingCreates: [] };
  readonly pictures = new Pictures();
  /** The ids of the questions to which the person says yes in the next operations. */
  accepted: ReadonlySet<string> = new Set();
  /** Default: calls reach the emulator. */
  http: Http | undefined;
  /** That of the provider's process, beside settings. */
  environment: NodeJS.ProcessEnv = {};
  /** Where settings come from, by their names. */
  sources: Record<string, string> = {};
  readonly notes = new Map<string, string>();

  constructor(
    private readonly emulator: Pick<Emulator, "url" | "apiKey">,
    public settings: Record<string, string | undefined> = {},
    readonly clock: Clock = fakeClock(),
    readonly name = "dev",
  ) {}

  /** `pulumi stack init`, in the same backend and on the same machine. */
  init = (name: string) => new SimulatedStack(this.emulator, this.settings, this.clock, name);

  up = (program: Voice[], { refresh = false, ...options }: Options = {}) =>
    this.operate(options, (engine) => [
      ...(refresh ? [() => engine.refresh()] : []),
      () => engine.update(program.map(declared)),
    ]);
  preview = (program: Voice[]) => this.operate({}, (engine) => [() => engine.preview(program.map(declared))]);
  refresh = () => this.operate({}, (engine) => [() => engine.refresh()]);
  destroy = ({ refresh = false, ...options }: Options = {}) =>
    this.operate(options, (engine) => [...(refresh ? [() => engine.refresh()] : []), () => engine.destroy()]);

  /** Waits for the operation, and throws if it failed. */
  async ok(operation: Promise<Ended>): Promise<Ended> {
    const ended = await operation;
    if (!ended.ok) throw new Error(ended.error);
    return ended;
  }

  /** The ids of the resources that the state has. The id of a voice is its name. */
  held(): string[] {
    return this.state.entries.map(({ id }) => id).sort();
  }

  /** `pulumi state move`: the other stack gets the resource and its voice. */
  move(name: string, to: SimulatedStack): void {
    const entry = this.entry(name);
    this.state.entries = this.state.entries.filter((each) => each !== entry);
    to.state.entries.push({ ...entry, urn: to.urn(name) });
  }

  /** The outputs of a resource. */
  outputs(name: string): Props {
    return this.entry(name).outputs;
  }

  /** Adds an old copy of the resource, marked for deletion. It holds `id`, or else the same voice. */
  leaveOldCopy(name: string, id?: string): void {
    const live = this.entry(name);
    this.state.entries.push({ ...live, ...(id !== undefined && { id }), isOld: true });
  }

  private entry(name: string) {
    const urns = kinds.map((kind) => urnOf(this.name, kind, name));
    return this.state.entries.find(({ urn, isOld }) => urns.includes(urn) && !isOld)!;
  }

  private urn = (name: string) => urnOf(this.name, "voice", name);

  private async operate(
    { targets, excludes, replaces }: Options,
    phases: (engine: Engine) => (() => Promise<void>)[],
  ): Promise<Ended> {
    const { notes, clock } = this;
    const journal = journalIn(notes);
    const processes = new Processes(new HereAndNow(), new Random(1), undefined);
    const openPictures = (saveTo: string) => this.pictures.open(saveTo, processes);
    const parts = {
      clock,
      journal,
      openPictures,
      accepted: this.accepted,
      environment: this.environment,
      ...(this.http && { http: this.http }),
    };
    const { lines, voice, image, decision } = lifecyclesOf(this.emulator, this.settings, parts, this.sources);
    const urns = (names?: string[]) => names?.flatMap((name) => kinds.map((kind) => urnOf(this.name, kind, name)));
    const options: EngineOptions = {
      targets: urns(targets),
      excludes: urns(excludes),
      replaces: urns(replaces),
      parallel: 8,
      checkpoints: true,
    };
    const providers = { voice: started(voice), image: started(image), decision: started(decision) };
    const engine = new Engine(this, () => providers, processes, noHooks, options);
    const { end, errors } = await engine.run(...phases(engine));
    invariants.output("an error", errors.join("\n"));
    invariants.file("the state", withoutSecrets(this.state));
    for (const name of this.pictures.names) invariants.file(name, "");
    for (const [key, note] of notes) invariants.file(`the note ${key}`, note);
    return { ok: end === "ok", error: errors.join("\n"), log: lines.join("\n") };
  }
}

function declared(voice: Voice): Declaration {
  return { ...declaration(voice.name, "voice", 0), ...voice };
}
