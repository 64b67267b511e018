import type { Emulator } from "../../provider/emulator";
import { describeThrown } from "../../provider/src/describe-thrown";
import { InitializationFailed } from "../../provider/src/pulumi/provider/lifecycle";
import type { OperationParts } from "../../provider/src/pulumi/provider/operation";
import type { SetResource } from "../../provider/src/pulumi/provider/voice-set/entry";
import type { FieldChange } from "../../provider/src/pulumi/provider/voice-set/plan";
import { voiceSetType } from "../../provider/src/rules/resource-types";
import type { SetInputs, SetState } from "../../provider/src/rules/voice-set";
import type { Http } from "../../provider/src/service/http";
import { exportedStack, stateOf } from "../../provider/src/stacks/state";
import { invariants } from "./invariants";
import { journalIn } from "./journal";
import { lifecyclesOf } from "./operation";
import { fakeClock } from "./service";

type Saved = { inputs: SetInputs; outputs: SetState; failed: boolean };

export interface SetEnded {
  ok: boolean;
  error: string;
  log: string;
  /** What a preview shows, as `+ voices.narrator`. */
  changes: string[];
}

const signs = { ADD: "+", DELETE: "-", UPDATE: "~" };

/** A stack with one `VoiceSet`, on which the calls of the engine are made as it makes them. No wait takes time. */
export class SimulatedSet {
  saved: Saved | undefined;
  /** Operations that the engine began and whose end it did not save. */
  pending: { type: "creating" | "updating"; inputs: SetInputs; outputs: object }[] = [];
  notes = new Map<string, string>();
  secrets: Record<string, string[]> = {};
  /** The ids of the questions to which the person says yes in the next operations. */
  accepted: ReadonlySet<string> = new Set();
  http: Http | undefined;
  name = "voices";
  stack = "dev";
  /** The set in the states of other stacks. */
  readonly others: Record<string, Saved> = {};
  /** The clock of the last operation. */
  clock = fakeClock();

  constructor(
    private readonly emulator: Pick<Emulator, "url" | "apiKey">,
    public settings: Record<string, string | undefined> = {},
  ) {}

  /** `killedAfter`: the engine is killed after so many requests that change something, and saves nothing. */
  async up(
    voices: SetInputs["voices"],
    { dryRun = false, killedAfter, ignored = [], parts = {}, ...more }: Options = {},
  ): Promise<SetEnded> {
    const { lifecycle, lines } = this.operation({
      ...parts,
      ...(killedAfter !== undefined && { assertNotCancelled: endedAfter(killedAfter) }),
    });
    const resource = this.resource(ignored);
    const none = new Set<string>();
    const news: SetInputs = { defaults: { targetModel: "svc3-tts-vc-2026-01-22" }, voices, ...more };
    const ended = (error: string, changes: FieldChange[] = []): SetEnded => {
      invariants.output("an error", error);
      return {
        ok: error === "",
        error,
        log: lines.join("\n"),
        changes: changes.map(({ path, kind }) => `${signs[kind]} ${path}`),
      };
    };
    let changes: FieldChange[] = [];
    try {
      const { inputs: checked, failures } = await lifecycle.check(news, this.saved?.inputs, resource, none);
      if (failures.length > 0) return ended(failures.map(({ property, reason }) => `${property} ${reason}`).join("\n"));
      const inputs = JSON.parse(JSON.stringify(checked)) as SetInputs;
      const { saved } = this;
      let isWork = true;
      if (saved !== undefined) {
        const compared = await lifecycle.diff("voices", saved.outputs, inputs, resource, none);
        ({ changes } = compared);
        isWork = compared.updates || saved.failed;
      }
      if (dryRun && isWork) await lifecycle.plan(saved?.outputs ?? {}, inputs, resource);
      if (dryRun || !isWork) return ended("", changes);
      const save = (outputs: object, failed: boolean) => {
        // Of an update that failed in part, the engine keeps the inputs that it has.
        const kept = failed && saved ? saved.inputs : inputs;
        this.saved = JSON.parse(JSON.stringify({ inputs: kept, outputs, failed })) as Saved;
        this.pending = [];
      };
      const work = saved
        ? lifecycle.update("voices", saved.outputs, inputs, resource)
        : lifecycle.create(inputs, resource).then(({ state }) => state);
      if (killedAfter !== undefined) {
        await work.catch(() => undefined);
        this.pending = [{ type: saved ? "updating" : "creating", inputs, outputs: saved?.outputs ?? {} }];
        return ended("killed", changes);
      }
      await work.then(
        (outputs) => save(outputs, false),
        (error: unknown) => {
          if (error instanceof InitializationFailed) save(error.state, true);
          throw error;
        },
      );
      return ended("", changes);
    } catch (error) {
      return ended(describeThrown(error).message, changes);
    }
  }

  preview = (voices: SetInputs["voices"], options: Options = {}) => this.up(voices, { ...options, dryRun: true });

  async refresh(): Promise<SetEnded> {
    const { lifecycle, lines } = this.operation();
    const error = await this.change((saved) => lifecycle.read("voices", saved.outputs, this.resource([])));
    return { ok: error === "", error, log: lines.join("\n"), changes: [] };
  }

  async destroy(): Promise<SetEnded> {
    const { lifecycle, lines } = this.operation();
    const error = await this.change(async (saved) => {
      await lifecycle.delete("voices", saved.outputs, this.resource([]));
      return undefined;
    });
    return { ok: error === "", error, log: lines.join("\n"), changes: [] };
  }

  /** Waits for the operation, and throws if it failed. */
  async ok(operation: Promise<SetEnded>): Promise<SetEnded> {
    const ended = await operation;
    if (!ended.ok) throw new Error(ended.error);
    return ended;
  }

  /** The voices in the state by their keys. */
  held = () =>
    Object.fromEntries(Object.entries(this.saved?.outputs.voices ?? {}).map(([key, { voice }]) => [key, voice]));

  private async change(work: (saved: Saved) => Promise<SetState | undefined>): Promise<string> {
    if (this.saved === undefined) return "";
    try {
      const outputs = await work(this.saved);
      this.saved = outputs ? { ...this.saved, outputs } : undefined;
      return "";
    } catch (error) {
      return describeThrown(error).message;
    }
  }

  private urn = (stack: string) => `urn:pulumi:${stack}::p::${voiceSetType}::${this.name}`;

  private operation(parts: OperationParts = {}) {
    const nameOf = (stack: string) => `organization/p/${stack}`;
    const entryOf = (stack: string) => ({
      urn: this.urn(stack),
      type: voiceSetType,
      id: "voices",
      provider: "urn:pulumi:dev::p::pulumi:providers:cloudvoice::default::1",
    });
    const deploymentOf = (stack: string, saved: Saved | undefined, pending: SimulatedSet["pending"]) => ({
      resources: saved ? [{ ...entryOf(stack), inputs: saved.inputs, outputs: saved.outputs }] : [],
      pending_operations: pending.map(({ type, inputs, outputs }) => ({
        type,
        resource: { ...entryOf(stack), inputs, outputs },
      })),
    });
    const deployments = new Map([
      [nameOf(this.stack), deploymentOf(this.stack, this.saved, this.pending)],
      ...Object.entries(this.others).map(([stack, saved]) => [nameOf(stack), deploymentOf(stack, saved, [])] as const),
    ]);
    const names = () => Promise.resolve([...deployments.keys()]);
    this.clock = fakeClock();
    const states = {
      // A damaged state can't be read.
      stack: (name: string) =>
        Promise.resolve({ deployment: deployments.get(name) }).then((state) =>
          stateOf(name, exportedStack.parse(state)),
        ),
      stacks: names,
      allStacks: names,
      backend: () => Promise.resolve("here"),
    };
    const journal = journalIn(this.notes);
    const { voiceSet, lines } = lifecyclesOf(this.emulator, this.settings, {
      clock: this.clock,
      states,
      journal,
      accepted: this.accepted,
      ...(this.http && { http: this.http }),
      ...parts,
    });
    return { lifecycle: voiceSet, lines };
  }

  private resource(ignored: readonly string[]): SetResource {
    return {
      ...{ name: this.name, label: `${this.name}-0`, ignored },
      identity: {
        urn: this.urn(this.stack),
        savedUrn: this.urn(this.stack),
        provider: "urn:pulumi:dev::p::pulumi:providers:cloudvoice::default",
      },
      secrets: new Set(Object.keys(this.secrets).length > 0 ? ["voices"] : []),
      secretsOf: (key) => new Set(this.secrets[key]),
      options: { protect: false, deleteBeforeReplace: false, ignoresEverything: false, keepsRecording: false },
    };
  }
}

interface Options extends Partial<Omit<SetInputs, "voices">> {
  dryRun?: boolean;
  killedAfter?: number;
  ignored?: string[];
  parts?: OperationParts;
}

/** It is asked before the note of the update too. */
function endedAfter(requests: number): () => void {
  let left = requests + 1;
  return () => {
    if (left-- <= 0) throw new Error("the engine has exited");
  };
}

/** An entry with a recording behind a URL. */
export const url = (name: string) => ({ audio: `https://example.org/${name}.wav` });

/** So many entries, in this version of their recordings. */
export const many = (count: number, version = "") =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${i}`, url(`${i}${version}`)]));

/** A backend in which only the states of the own project can be read. */
export const unreadStates = {
  stack: () => Promise.resolve(stateOf("organization/p/dev", exportedStack.parse({ deployment: { resources: [] } }))),
  stacks: () => Promise.resolve(["organization/p/dev"]),
  allStacks: () => Promise.reject(new Error("no access")),
  backend: () => Promise.resolve("here"),
};
