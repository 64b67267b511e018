import type { Http, HttpRequest, HttpResponse } from "../../../provider/src/service/http";
import { add, type Command, type Run, run as up } from "../../simulation/commands";
import type { Outcome } from "../../simulation/engine";
import type { Mistake } from "../../simulation/provider";
import { plainService, type ServiceOptions } from "../../simulation/service";
import { Simulation } from "../../simulation/simulation";
import { questionsIn } from "../../support/questions-in";

type Send = (request: HttpRequest) => Promise<HttpResponse>;
/** Stands between the provider and the service. */
export type Between = (action: string, send: () => Promise<HttpResponse>) => Promise<HttpResponse>;

interface LifeOptions {
  service?: Partial<ServiceOptions>;
  settings?: Record<string, string>;
}

/**
 * The life of some stacks: the simulated engine and service, and the package's own code, in one process and without real
 * time.
 */
export class Life {
  private readonly simulation: Simulation;
  private readonly mistake: Mistake = {};
  /** What stands between the provider and the service from now on. */
  between: Between = (_action, send) => send();

  environment: NodeJS.ProcessEnv = {};
  /** What an operation does before it sends a billed request or a delete, e.g. throws after a cancel. */
  assertNotCancelled = (): void => undefined;

  constructor({ service = {}, settings = {} }: LifeOptions = {}) {
    this.mistake.settings = settings;
    this.mistake.parts = (parts) => ({
      ...parts,
      http: this.watched(parts.http!),
      environment: this.environment,
      assertNotCancelled: () => this.assertNotCancelled(),
    });
    const scenario = { seed: 1, strangers: 0, service: { ...plainService, ...service }, commands: [] };
    this.simulation = new Simulation(scenario, this.mistake);
  }

  /** Sets the settings of later operations, e.g. another key. */
  set(settings: Record<string, string>): void {
    Object.assign(this.mistake.settings!, settings);
  }

  do(...commands: Command[]): Promise<void> {
    return commands.reduce(
      (before, each) => before.then(() => this.at(this.simulation.execute(each))),
      Promise.resolve(),
    );
  }

  /** Runs an operation. */
  run(options: Partial<Run> = {}): Promise<Outcome> {
    return this.at(this.simulation.operate(up(options)));
  }

  /** Runs an operation that succeeds without a question. */
  async ok(options: Partial<Run> = {}): Promise<void> {
    const { end, errors } = await this.run(options);
    if (end !== "ok") throw new Error(`${end}: ${errors.join("\n")}`);
  }

  /** Runs an operation that asks. Returns the kinds of the questions, and answers them with yes. */
  async asked(options: Partial<Run> = {}): Promise<string[]> {
    const { errors } = await this.run(options);
    const accepts = [...questionsIn(errors.join("\n"))];
    await this.ok({ ...options, accepts });
    return accepts.map((id) => id.replace(/-[0-9a-f]{16}$/, ""));
  }

  private at<T>(work: Promise<T>): Promise<T> {
    return this.simulation.world.runUntil(work);
  }

  get billed(): number {
    return this.simulation.ledger.billedInAll;
  }

  /** The ids of the voices that exist. */
  get voices(): string[] {
    return this.simulation.service
      .existing()
      .map(({ voice }) => voice)
      .sort();
  }

  /** The ids of the voices in the state of a stack. */
  held(stack = 0): string[] {
    return this.simulation.person
      .stackAt(stack)
      .state.entries.map(({ id }) => id)
      .sort();
  }

  state(stack = 0) {
    return this.simulation.person.stackAt(stack).state;
  }

  program(stack = 0) {
    return this.simulation.person.stackAt(stack).program;
  }

  get notes(): Map<string, string> {
    return this.simulation.disk.notes;
  }

  get log(): string {
    return this.simulation.log.join("\n");
  }

  get service() {
    return this.simulation.service;
  }

  /** Somebody makes a voice by hand. Returns its id. */
  byHand(preferredName: string): string {
    this.service.addByHand(preferredName);
    return [...this.service.voices.keys()].at(-1)!;
  }

  /** Somebody deletes a voice by hand. */
  deleteByHand(voice: string): void {
    this.service.deleteOutside(this.service.voices.get(voice)!, 0);
  }

  /** The broken promises. */
  get violations(): string[] {
    const { ledger } = this.simulation;
    return [...ledger.violations, ...ledger.overbilled()];
  }

  private watched(http: Http): Http {
    const send: Send = (request) => {
      const text = request.body?.();
      const [, action = ""] = /"action":"(\w+)"/.exec(typeof text === "string" ? text : "") ?? [];
      return this.between(action, () => http.send(request));
    };
    return { ...http, send };
  }
}

export { add, up };
