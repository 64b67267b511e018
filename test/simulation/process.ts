import { CloudVoiceError } from "../../provider/src/errors";
import type { Clock } from "../../provider/src/service/clock";
import type { JournalStore } from "../../provider/src/service/journal/note";
import type { Random, World } from "./world";

/** What a kill ends. The provider outlives the engine for some time, unless both are killed. */
export type Victim = "everything" | "engine" | "provider";

export interface Kill {
  /** The number of events of the operation after which the kill comes. */
  afterEvents: number;
  victim: Victim;
}

/** How long a provider process may outlive its engine. */
const afterlifeMs = 90_000;

/**
 * The engine and the provider process of one operation. Each return to their code from outside (a response, a sleep,
 * a write) is an event, and a kill can come at each: dead code never gets the result that it waits for.
 */
export class Processes {
  providerRuns = true;
  engineRuns = true;
  private events = 0;
  private readonly onProviderEnd: (() => void)[] = [];
  private engineEnds: () => void = () => undefined;
  /** Resolves when the engine is killed. */
  readonly engineKilled = new Promise<void>((resolve) => (this.engineEnds = resolve));

  constructor(
    readonly world: World,
    readonly random: Random,
    private readonly kill: Kill | undefined,
  ) {}

  /** Schedules `work` in the provider process, or `otherwise` if the process has ended by then. */
  inProvider(ms: number, work: () => void, otherwise: () => void = () => undefined): void {
    this.world.after(ms, () => {
      if (this.providerRuns) this.countEvent();
      if (this.providerRuns) work();
      else otherwise();
    });
  }

  /** A moment of the engine: it may be killed before the moment has passed. */
  engineMoment(): Promise<void> {
    return new Promise((resolve) => {
      this.world.after(this.random.between(1, 20), () => {
        if (!this.engineRuns) return;
        this.countEvent();
        if (this.engineRuns) resolve();
      });
    });
  }

  /** The engine's call of the provider: rejects when the provider process ends. */
  call<T>(method: () => Promise<T>): Promise<T> {
    if (!this.providerRuns) return Promise.reject(new Error("the provider process has exited"));
    return new Promise((resolve, reject) => {
      this.onProviderEnd.push(() => reject(new Error("the provider process has exited")));
      // A result that the engine does not live to see never arrives.
      method().then(
        (result) => this.engineRuns && resolve(result),
        (error: unknown) => this.engineRuns && reject(error as Error),
      );
    });
  }

  private countEvent(): void {
    if (++this.events !== this.kill?.afterEvents) return;
    const { victim } = this.kill;
    if (victim !== "provider") {
      this.engineRuns = false;
      this.engineEnds();
    }
    if (victim === "engine") this.world.after(this.random.between(0, afterlifeMs), () => (this.providerRuns = false));
    else this.endProvider();
  }

  /** The operation has ended, and its processes with it. */
  end(): void {
    if (this.engineRuns) this.providerRuns = false;
  }

  private endProvider(): void {
    this.providerRuns = false;
    if (this.engineRuns) for (const reject of this.onProviderEnd.splice(0)) reject();
  }

  readonly clock: Clock = {
    now: () => this.world.now,
    sleep: (ms) => new Promise((resolve) => this.inProvider(ms, resolve)),
    random: () => this.random.next(),
  };

  readonly assertEngineAlive = (): Promise<void> =>
    this.engineRuns
      ? Promise.resolve()
      : Promise.reject(new CloudVoiceError("The Pulumi engine has exited, so the request was not sent."));
}

/** The disk of a machine: a journal that outlives the processes. A write happens as a whole at its event, or never. */
export class Disk {
  readonly notes = new Map<string, string>();

  journal(processes: Processes): JournalStore {
    const atOnce = <T>(work: () => T) => new Promise<T>((resolve) => processes.inProvider(1, () => resolve(work())));
    return {
      readAll: () => atOnce(() => new Map(this.notes)),
      read: (key) => atOnce(() => this.notes.get(key)),
      write: (key, note) => atOnce(() => void this.notes.set(key, note)),
      remove: (key) => atOnce(() => void this.notes.delete(key)),
    };
  }
}
