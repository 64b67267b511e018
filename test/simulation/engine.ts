import type * as pulumi from "@pulumi/pulumi";
import type { Props } from "../../provider/src/lifecycle/lifecycle";
import type { Processes } from "./process";
import { type Declaration, gateOf, goalOf, type Program } from "./program";
import { Steps } from "./steps";
import { copyOf, type Entry, type Kind, type PendingCreate, type State, urnOf } from "./state";

type Provider = Required<pulumi.dynamic.ResourceProvider>;

export interface EngineOptions {
  /** The URNs that the update is limited to. */
  targets?: readonly string[] | undefined;
  excludes?: readonly string[] | undefined;
  /** The URNs of `--replace`. */
  replaces?: readonly string[] | undefined;
  /** How many steps run concurrently. */
  parallel: number;
  /** Whether the state is saved at each step, or only at the end. */
  checkpoints: boolean;
}

export interface EngineHooks {
  /** The engine is about to call `create`, for a new resource or for the replacement of `old`. */
  beforeCreate(processes: Processes, urn: string, inputs: Props, replaced: Replaced | undefined): void;
  /** The state has the created resource. */
  created(urn: string, inputs: Props): void;
  /** The engine is about to call `delete` for this entry. */
  beforeDelete(entry: Entry): void;
  /** `read` removed the resource from the state. */
  readMissing(entry: Entry): void;
  newUid(): number;
  /** A resource is about to be created or replaced that waits for a decision. */
  passGate?: (passed: PassedGate) => void;
  /** A preview has this step. */
  planned?: ((step: PlannedStep) => void) | undefined;
  /** For tests that compare with the real engine. */
  called?: ((method: string, urn: string, hasOlds: boolean) => void) | undefined;
}

/** A step of a preview, as `pulumi preview --json` lists it. */
export interface PlannedStep {
  op: "same" | "create" | "update" | "replace" | "delete";
  urn: string;
  old?: Entry;
  inputs?: Props;
  reasons?: string[];
  deletesFirst?: boolean;
  /** The URNs of `dependsOn`. */
  dependencies?: string[];
}

export interface PassedGate {
  name: string;
  gate: Declaration;
  /** The decision in the state, if the state has it. */
  entry: Entry | undefined;
  /** Whether the operation calls the provider for the decision. */
  isTargeted: boolean;
}

export interface Replaced {
  old: Entry;
  /** `ignoreChanges: ["audio"]` */
  ignoreAudio: boolean;
  /** By `--replace`, or because an earlier update has deleted the old one already. */
  isForced: boolean;
}

export interface Outcome {
  end: "ok" | "failed" | "killed";
  errors: string[];
}

/**
 * One operation of the engine. The order of its calls is that of pulumi 3.200 and 3.259 (pkg/resource/deploy):
 * the step generator checks and diffs one resource after the other; creates and updates run concurrently behind it;
 * deletes come last. The first failure cancels what has not started. test/simulation/engine-calls.test.ts compares it with
 * the real engine.
 */
export class Engine {
  private readonly operatedOn = new Set<string>();
  private readonly seen = new Set<string>();
  /** Former URNs of resources that aliases renamed in this update. */
  private readonly aliased = new Map<string, string>();
  private readonly createdUnsaved: { urn: string; inputs: Props }[] = [];
  readonly state: State;
  private readonly steps: Steps;

  constructor(
    private readonly stack: { readonly name: string; state: State },
    private readonly providersOf: (process: number) => Record<Kind, Provider>,
    private readonly processes: Processes,
    private readonly hooks: EngineHooks,
    private readonly options: EngineOptions,
  ) {
    this.state = options.checkpoints ? stack.state : copyOf(stack.state);
    this.steps = new Steps(options.parallel);
  }

  /** Runs the phases one after the other. Resolves also when the engine is killed, and then at once. */
  run(...phases: (() => Promise<void>)[]): Promise<Outcome> {
    const work = async (): Promise<Outcome> => {
      for (const phase of phases) {
        if (this.steps.failed) break;
        await phase().catch((error: unknown) => this.steps.fail(error));
        await this.steps.done();
      }
      await this.processes.engineMoment();
      if (!this.options.checkpoints) this.stack.state = this.state;
      if (!this.options.checkpoints) for (const { urn, inputs } of this.createdUnsaved) this.hooks.created(urn, inputs);
      return { end: this.steps.failed ? "failed" : "ok", errors: this.steps.errors };
    };
    const killed = this.processes.engineKilled.then((): Outcome => ({ end: "killed", errors: this.steps.errors }));
    return Promise.race([work(), killed]);
  }

  /** `pulumi up`, without a refresh. */
  async update(program: Program): Promise<void> {
    const before = [...this.state.entries];
    const olds = new Map(before.filter(({ isOld }) => !isOld).map((entry) => [entry.urn, entry]));
    for (const declared of program) {
      // A resource may depend on the ones before it.
      if (this.processes.random.chance(0.25)) await this.steps.done();
      if (gateOf(declared, program)) await this.steps.done();
      if (this.steps.failed) return;
      await this.register(declared, program, olds);
    }
    await this.steps.done();
    if (this.steps.failed) return;
    for (const entry of before) this.deleteIfGone(entry);
  }

  /** `pulumi preview`: checks and diffs, and changes nothing. */
  async preview(program: Program): Promise<void> {
    const olds = new Map(this.state.entries.filter(({ isOld }) => !isOld).map((entry) => [entry.urn, entry]));
    for (const declared of program)
      await this.register(declared, program, olds, true).catch((error: unknown) => this.steps.fail(error));
    for (const old of this.state.entries) {
      if (old.isOld || !this.isGone(old)) continue;
      if (old.protect) this.steps.fail(new Error(`${old.urn} is protected and can't be deleted`));
      else this.hooks.planned?.({ op: "delete", urn: old.urn, old });
    }
  }

  /** `pulumi destroy`: there is no program, so nothing is checked. */
  destroy(): Promise<void> {
    for (const entry of [...this.state.entries]) this.deleteIfGone(entry);
    return Promise.resolve();
  }

  async refresh(): Promise<void> {
    const changes: (() => void)[] = [];
    for (const entry of [...this.state.entries]) {
      if (!this.isTargeted(entry.urn) || entry.pendingReplacement) continue;
      this.steps.start(async () => {
        const found = await this.call(entry, "read", (provider) => provider.read(entry.id, entry.outputs));
        const { id = "", props } = found as { id?: string; props?: Props };
        if (id === "") {
          this.hooks.readMissing(entry);
          changes.push(() => remove(this.state.entries, entry));
          return;
        }
        await this.call(entry, "diff", (provider) => provider.diff(id, saved(props ?? {}), entry.inputs));
        changes.push(() => Object.assign(entry, { outputs: props, initErrors: [] }));
      });
    }
    await this.steps.done();
    await this.processes.engineMoment();
    for (const change of changes) change();
  }

  private async register(
    declared: Declaration,
    program: Program,
    olds: ReadonlyMap<string, Entry>,
    dryRun = false,
  ): Promise<void> {
    const urn = urnOf(this.stack.name, declared.kind, declared.name);
    if (this.aliased.has(urn)) throw new Error(`${urn}: duplicate resource, by an alias`);
    this.seen.add(urn);
    const formerUrns = declared.aliases.map((name) => urnOf(this.stack.name, declared.kind, name));
    const oldUrn = [urn, ...formerUrns].find((each) => olds.has(each));
    const old = oldUrn === undefined ? undefined : olds.get(oldUrn);
    if (oldUrn !== undefined && oldUrn !== urn) {
      if (this.seen.has(oldUrn) || this.aliased.has(oldUrn)) throw new Error(`${urn}: duplicate alias ${oldUrn}`);
      this.aliased.set(oldUrn, urn);
    }
    this.operatedOn.add(urn);

    if (oldUrn !== undefined) this.operatedOn.add(oldUrn);
    const gate = gateOf(declared, program);
    const dependencies = gate ? [urnOf(this.stack.name, gate.kind, gate.name)] : [];
    const plan = (step: Omit<PlannedStep, "urn">) => this.hooks.planned?.({ urn, dependencies, ...step });
    if (!this.isTargeted(urn)) {
      if (old && dryRun) plan({ op: "same", old });
      return;
    }

    const resource = { urn, kind: declared.kind, process: old?.process ?? declared.process };
    const goal = goalOf(this.stack.name, declared, resource.process, program);
    const isForced = this.options.replaces?.includes(urn) === true;
    const inputs =
      old === undefined || isForced
        ? await this.check(resource, {}, goal)
        : await this.check(resource, old.inputs, declared.ignoreAudio ? { ...goal, audio: old.inputs.audio } : goal);
    const skipped = dependencies.find((each) => !this.isTargeted(each) && !olds.has(each));
    if (skipped !== undefined) throw new Error(`${urn} depends on ${skipped}, which is not in the --target list`);
    const facts = { ...resource, protect: declared.protect };
    const pass = () => {
      const [gateUrn = ""] = dependencies;
      const entry = this.state.entries.find((each) => each.urn === gateUrn && !each.isOld);
      if (gate) this.hooks.passGate?.({ name: declared.name, gate, entry, isTargeted: this.isTargeted(gateUrn) });
    };
    if (old === undefined) {
      if (dryRun) return plan({ op: "create", inputs });
      pass();
      return this.steps.start(() => this.create({ ...facts, inputs }));
    }

    const diff = isForced
      ? { changes: true, replaces: ["id"] }
      : await this.call(resource, "diff", (provider) => provider.diff(old.id, saved(old.outputs), inputs));
    const isUpdated = diff.changes === true || old.initErrors.length > 0;
    const isReplaced = (diff.replaces?.length ?? 0) > 0 || old.pendingReplacement;
    if (isReplaced) {
      if (declared.protect && old.protect) throw new Error(`${urn} is protected and can't be replaced`);
      const fresh = isForced ? inputs : await this.check(resource, {}, goal);
      const { ignoreAudio, deleteBeforeReplace: deletesFirst } = declared;
      if (dryRun) return plan({ op: "replace", old, inputs: fresh, reasons: diff.replaces ?? [], deletesFirst });
      pass();
      const replaced = { old, ignoreAudio, isForced: isForced || old.pendingReplacement };
      if (declared.deleteBeforeReplace) {
        this.steps.start(async () => {
          if (!old.pendingReplacement) {
            await this.callDelete(old);
            old.pendingReplacement = true;
          }
          await this.create({ ...facts, inputs: fresh }, replaced, false);
        });
      } else this.steps.start(() => this.create({ ...facts, inputs: fresh }, replaced, true));
    } else if (dryRun) plan({ op: isUpdated ? "update" : "same", old, inputs });
    else if (isUpdated) this.steps.start(() => this.updateEntry(old, facts, inputs));
    else Object.assign(old, { urn, inputs, protect: declared.protect });
  }

  private async check(resource: Resource, olds: Props, news: Props): Promise<Props> {
    const hasOlds = Object.keys(olds).length > 0;
    const checked = await this.call(resource, "check", (provider) => provider.check(olds, news), hasOlds);
    const { inputs, failures = [] } = checked as { inputs: Props; failures?: pulumi.dynamic.CheckFailure[] };
    if (failures.length > 0)
      throw new Error(failures.map(({ property, reason }) => `${property} ${reason}`).join("; "));
    return inputs;
  }

  private async create(
    { inputs, ...facts }: Resource & { protect: boolean; inputs: Props },
    replaced?: Replaced,
    keepsOld = false,
  ): Promise<void> {
    const { urn } = facts;
    const { state } = this;
    const old = replaced?.old;
    const pending: PendingCreate = { urn, kind: facts.kind, inputs };
    state.pendingCreates.push(pending);
    await this.processes.engineMoment();
    this.hooks.beforeCreate(this.processes, urn, inputs, replaced);
    let made: { id: string; outs: Props; initErrors: string[] };
    try {
      const result = await this.call(facts, "create", (provider) => provider.create(inputs));
      made = { id: result.id, outs: result.outs as Props, initErrors: [] };
    } catch (error) {
      made = incomplete(error) ?? (await this.failCreate(pending, error));
    }
    await this.processes.engineMoment();
    remove(state.pendingCreates, pending);
    if (old && keepsOld) old.isOld = true;
    else if (old) remove(state.entries, old);
    const { id, outs: outputs, initErrors } = made;
    const copy = { isOld: false, pendingReplacement: false, initErrors };
    state.entries.push({ uid: this.hooks.newUid(), ...facts, id, inputs, outputs, ...copy });
    if (this.options.checkpoints) this.hooks.created(urn, inputs);
    else this.createdUnsaved.push({ urn, inputs });
    if (initErrors.length > 0) this.steps.fail(new Error(initErrors.join("; ")));
  }

  private async failCreate(pending: PendingCreate, error: unknown): Promise<never> {
    await this.processes.engineMoment();
    remove(this.state.pendingCreates, pending);
    throw error;
  }

  private async updateEntry(old: Entry, facts: { urn: string; protect: boolean }, inputs: Props): Promise<void> {
    await this.processes.engineMoment();
    const call = () => this.call(old, "update", (provider) => provider.update(old.id, old.outputs, inputs));
    const { outs, initErrors } = await call().then(
      (result) => ({ outs: result.outs as Props, initErrors: [] as string[] }),
      (error: unknown) => {
        const partial = incomplete(error);
        if (partial) return partial;
        throw error;
      },
    );
    await this.processes.engineMoment();
    Object.assign(old, { ...facts, inputs, outputs: outs, initErrors });
    if (initErrors.length > 0) this.steps.fail(new Error(initErrors.join("; ")));
  }

  /** Deletes the entry if it was replaced, or if the program has it no more. */
  private deleteIfGone(entry: Entry): void {
    if (!this.isGone(entry)) return;
    this.steps.start(async () => {
      if (!entry.pendingReplacement || entry.isOld) {
        if (entry.protect && !entry.isOld) throw new Error(`${entry.urn} is protected and can't be deleted`);
        await this.callDelete(entry);
      }
      remove(this.state.entries, entry);
    });
  }

  private isGone({ urn, isOld }: Entry): boolean {
    return this.isTargeted(urn) && (isOld || !this.operatedOn.has(this.aliased.get(urn) ?? urn));
  }

  private async callDelete(entry: Entry): Promise<void> {
    await this.processes.engineMoment();
    this.hooks.beforeDelete(entry);
    await this.call(entry, "delete", (provider) => provider.delete(entry.id, entry.outputs));
    await this.processes.engineMoment();
  }

  /** Takes some time, so that what runs concurrently comes in any order. */
  private async call<T>(
    { urn, kind, process }: Resource,
    method: string,
    call: (provider: Provider) => Promise<T>,
    hasOlds = false,
  ): Promise<T> {
    await this.processes.engineMoment();
    this.hooks.called?.(method, urn, hasOlds);
    return this.processes.call(() => call(this.providersOf(process)[kind]));
  }

  private isTargeted(urn: string): boolean {
    const { targets, excludes } = this.options;
    return targets ? targets.includes(urn) : excludes?.includes(urn) !== true;
  }
}

/** Outputs as the state has them: the host of dynamic providers adds the text that names the resource's code. */
function saved(outputs: Props): Props {
  return { ...outputs, __provider: "text" };
}

type Resource = Pick<Entry, "urn" | "kind" | "process">;

/** A resource that failed to initialise is saved. */
function incomplete(error: unknown) {
  const { id, properties, reasons } = error as { id?: string; properties?: Props; reasons?: string[] };
  return id === undefined ? undefined : { id, outs: properties ?? {}, initErrors: reasons ?? [] };
}

function remove<T>(list: T[], value: T): void {
  const index = list.indexOf(value);
  if (index >= 0) list.splice(index, 1);
}
