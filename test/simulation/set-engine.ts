import { InitializationFailed } from "../../provider/src/pulumi/provider/lifecycle";
import type { SetResource } from "../../provider/src/pulumi/provider/voice-set/entry";
import type { FieldChange } from "../../provider/src/pulumi/provider/voice-set/plan";
import type { SetLifecycle } from "../../provider/src/pulumi/provider/voice-set/set-lifecycle";
import { voiceSetType } from "../../provider/src/rules/resource-types";
import type { SetInputs, SetState } from "../../provider/src/rules/voice-set";
import { exportedStack, stateOf } from "../../provider/src/stacks/state";
import type { StateReader } from "../../provider/src/stacks/states";
import { models } from "./program";

export interface SavedSet {
  inputs: SetInputs;
  outputs: SetState;
  /** Its last update failed in part. */
  failed: boolean;
}

/** An operation that the engine has begun, and whose end it has not saved. */
export interface PendingOfSet {
  type: "creating" | "updating" | "deleting";
  inputs: SetInputs;
  outputs: object;
}

/** What an operation has around the engine. */
export interface AroundEngine {
  voiceSet: SetLifecycle;
  resource: SetResource;
  /** A call of the provider. */
  call: <T>(work: () => Promise<T>) => Promise<T>;
  /** A moment of the engine, which may be killed in it. */
  moment: () => Promise<void>;
  /** The engine is killed before it saves the end of a create or an update. */
  isKilled?: boolean;
}

export class EngineKilled extends Error {}

/** As the engine passes and saves it. */
const plain = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;

/** The provider of a resource, which is one of the same stack. */
const providerOf = (urn: string) =>
  [...urn.split("::").slice(0, 2), "pulumi:providers:cloudvoice", "default"].join("::");

/** A set as the engine passes it to the provider. */
export function setResource(
  urn: string,
  more: Partial<Pick<SetResource, "ignored" | "secrets" | "secretsOf">> = {},
): SetResource {
  const name = urn.slice(urn.lastIndexOf("::") + 2);
  return {
    ...{ name, label: `${name}-0`, ignored: [], secrets: new Set(), secretsOf: () => new Set() },
    identity: { urn, savedUrn: urn, provider: providerOf(urn) },
    options: { protect: false, deleteBeforeReplace: false, ignoresEverything: false, keepsRecording: false },
    ...more,
  };
}

/** The engine's side of a stack with one `VoiceSet`: what it has saved, and its calls of the provider. */
export class SetEngine {
  saved: SavedSet | undefined;
  pending: PendingOfSet[] = [];
  /** The inputs that the last `check` returned. */
  checked: SetInputs | undefined;

  /** `pulumi up` or `pulumi preview`, without a refresh. Returns what a preview shows. */
  async updateSet(program: SetInputs, around: AroundEngine, isPreview = false): Promise<FieldChange[]> {
    const { voiceSet, resource, call, moment } = around;
    const { saved } = this;
    const none = new Set<string>();
    const news = plain({ defaults: { targetModel: models[0] }, ...program });
    const checked = await call(() => voiceSet.check(news, saved && plain(saved.inputs), resource, none));
    if (checked.failures.length > 0)
      throw new Error(checked.failures.map(({ property, reason }) => `${property} ${reason}`).join("\n"));
    const inputs = plain(checked.inputs as SetInputs);
    this.checked = inputs;
    await moment();
    const { updates, changes } = saved
      ? await call(() => voiceSet.diff(resource.name, plain(saved.outputs), inputs, resource, none))
      : { updates: true, changes: [] };
    await moment();
    const isWork = updates || saved?.failed === true;
    if (isPreview && isWork) await call(() => voiceSet.plan(plain(saved?.outputs ?? {}), inputs, resource));
    if (isPreview) return changes;
    if (isWork) await this.change(inputs, around);
    else {
      this.forgetPending();
      if (saved) this.saved = { ...saved, inputs };
    }
    return changes;
  }

  private async change(inputs: SetInputs, { voiceSet, resource, call, moment, isKilled }: AroundEngine): Promise<void> {
    const { saved } = this;
    const ended = await this.begin(saved ? "updating" : "creating", inputs, moment);
    const work = (): Promise<SetState> =>
      saved
        ? voiceSet.update(resource.name, plain(saved.outputs), plain(inputs), resource)
        : voiceSet.create(plain(inputs), resource).then(({ state }) => state);
    const result = await call(work).then(
      (outputs) => ({ saved: { inputs, outputs, failed: false } }),
      (error: unknown) => ({
        error,
        // The engine saves the new outputs, and keeps the inputs that it has.
        ...(error instanceof InitializationFailed && {
          saved: { inputs: saved?.inputs ?? inputs, outputs: error.state as SetState, failed: true },
        }),
      }),
    );
    await moment();
    if (isKilled) throw new EngineKilled("killed");
    if (result.saved) this.saved = plain(result.saved);
    ended();
    if ("error" in result) throw result.error;
  }

  async refreshSet({ voiceSet, resource, call, moment }: AroundEngine): Promise<void> {
    this.forgetPending();
    const { saved } = this;
    if (saved === undefined) return;
    const outputs = await call(() => voiceSet.read(resource.name, plain(saved.outputs), resource));
    await moment();
    this.saved = outputs && { ...saved, outputs: plain(outputs) };
  }

  async destroySet({ voiceSet, resource, call, moment }: AroundEngine): Promise<void> {
    const { saved } = this;
    if (saved === undefined) return;
    const ended = await this.begin("deleting", saved.inputs, moment);
    try {
      await call(() => voiceSet.delete(resource.name, plain(saved.outputs), resource));
    } catch (error) {
      ended();
      throw error;
    }
    await moment();
    ended();
    this.saved = undefined;
  }

  private async begin(type: PendingOfSet["type"], inputs: SetInputs, moment: () => Promise<void>) {
    const pending: PendingOfSet = { type, inputs, outputs: this.saved?.outputs ?? {} };
    this.forgetPending();
    this.pending.push(pending);
    await moment();
    return () => void this.pending.splice(this.pending.indexOf(pending), 1);
  }

  /** Pending operations go with the next one. Those of creates stay until a person removes them. */
  private forgetPending(): void {
    this.pending = this.pending.filter(({ type }) => type === "creating");
  }
}

/** What the provider reads about the states of stacks with one set each: `pulumi stack export`, by their full names. */
export function setReader(
  engines: () => Record<string, { urn: string; saved: SavedSet | undefined; pending?: readonly PendingOfSet[] }>,
  moment: () => Promise<void> = () => Promise.resolve(),
): StateReader {
  const names = async () => {
    await moment();
    return Object.keys(engines());
  };
  return {
    stack: async (name) => {
      const { urn, saved, pending = [] } = engines()[name]!;
      const entry = { urn, type: voiceSetType, id: setResource(urn).name, provider: `${providerOf(urn)}::1` };
      const deployment = {
        resources: saved ? [{ ...entry, inputs: saved.inputs, outputs: saved.outputs }] : [],
        pending_operations: pending.map(({ type, inputs, outputs }) => ({
          type,
          resource: { ...entry, inputs, outputs },
        })),
      };
      const state = stateOf(name, exportedStack.parse(plain({ deployment })));
      await moment();
      return state;
    },
    stacks: names,
    allStacks: names,
    backend: () => Promise.resolve("simulated"),
  };
}
