import type { Emulator } from "../../provider/emulator";
import { describeThrown } from "../../provider/src/describe-thrown";
import type { OperationParts } from "../../provider/src/pulumi/provider/operation";
import type { FieldChange } from "../../provider/src/pulumi/provider/voice-set/plan";
import { voiceSetType } from "../../provider/src/rules/resource-types";
import type { SetInputs } from "../../provider/src/rules/voice-set";
import type { Http } from "../../provider/src/service/http";
import { exportedStack, stateOf } from "../../provider/src/stacks/state";
import { type AroundEngine, type SavedSet, SetEngine, setReader, setResource } from "../simulation/set-engine";
import { invariants } from "./invariants";
import { journalIn } from "./journal";
import { lifecyclesOf } from "./operation";
import { fakeClock } from "./service";

export interface SetEnded {
  ok: boolean;
  error: string;
  log: string;
  /** What a preview shows, as `+ voices.narrator`. */
  changes: string[];
}

const signs = { ADD: "+", DELETE: "-", UPDATE: "~" };

/** A stack with one `VoiceSet`, on which the calls of the engine are made as it makes them. No wait takes time. */
export class SimulatedSet extends SetEngine {
  notes = new Map<string, string>();
  secrets: Record<string, string[]> = {};
  /** The ids of the questions to which the person says yes in the next operations. */
  accepted: ReadonlySet<string> = new Set();
  http: Http | undefined;
  name = "voices";
  stack = "dev";
  /** The set in the states of other stacks. */
  readonly others: Record<string, SavedSet> = {};
  /** The clock of the last operation. */
  clock = fakeClock();

  constructor(
    private readonly emulator: Pick<Emulator, "url" | "apiKey">,
    public settings: Record<string, string | undefined> = {},
  ) {
    super();
  }

  /** `killedAfter`: the engine is killed after so many requests that change something, and saves nothing. */
  up(voices: SetInputs["voices"], { dryRun = false, killedAfter, ignored, parts, ...more }: Options = {}) {
    const isKilled = killedAfter !== undefined;
    return this.operate(
      (around) => this.updateSet({ voices, ...more }, { ...around, isKilled }, dryRun),
      { ...parts, ...(isKilled && { assertNotCancelled: endedAfter(killedAfter) }) },
      ignored,
    );
  }

  preview = (voices: SetInputs["voices"], options: Options = {}) => this.up(voices, { ...options, dryRun: true });
  refresh = () => this.operate((around) => this.refreshSet(around).then(() => undefined));
  destroy = () => this.operate((around) => this.destroySet(around).then(() => undefined));

  /** Waits for the operation, and throws if it failed. */
  async ok(operation: Promise<SetEnded>): Promise<SetEnded> {
    const ended = await operation;
    if (!ended.ok) throw new Error(ended.error);
    return ended;
  }

  /** The voices in the state by their keys. */
  held = () =>
    Object.fromEntries(Object.entries(this.saved?.outputs.voices ?? {}).map(([key, { voice }]) => [key, voice]));

  urn = (stack: string) => `urn:pulumi:${stack}::p::${voiceSetType}::${this.name}`;

  private async operate(
    work: (around: AroundEngine) => Promise<FieldChange[] | undefined>,
    parts: OperationParts = {},
    ignored: readonly string[] = [],
  ): Promise<SetEnded> {
    this.clock = fakeClock();
    const own = { urn: this.urn(this.stack), saved: this.saved, pending: this.pending };
    const states: ReturnType<Parameters<typeof setReader>[0]> = { [`organization/p/${this.stack}`]: own };
    for (const [stack, saved] of Object.entries(this.others))
      states[`organization/p/${stack}`] = { urn: this.urn(stack), saved };
    const { voiceSet, lines } = lifecyclesOf(this.emulator, this.settings, {
      clock: this.clock,
      states: setReader(() => states),
      journal: journalIn(this.notes),
      accepted: this.accepted,
      ...(this.http && { http: this.http }),
      ...parts,
    });
    const resource = setResource(this.urn(this.stack), {
      ignored,
      secrets: new Set(Object.keys(this.secrets).length > 0 ? ["voices"] : []),
      secretsOf: (key) => new Set(this.secrets[key]),
    });
    const around = { voiceSet, resource, call: <T>(each: () => Promise<T>) => each(), moment: () => Promise.resolve() };
    const { error = "", changes = [] } = await work(around).then<Partial<SetEnded>, Partial<SetEnded>>(
      (found: FieldChange[] = []) => ({ changes: found.map(({ path, kind }) => `${signs[kind]} ${path}`) }),
      (thrown: unknown) => ({ error: describeThrown(thrown).message }),
    );
    invariants.output("an error", error);
    return { ok: error === "", error, log: lines.join("\n"), changes };
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
  backend: () => Promise.resolve("simulated"),
};
