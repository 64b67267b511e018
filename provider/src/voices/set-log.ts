import { randomUUID } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod";
import { attempt } from "../attempt";
import type { CheckedVoice } from "../rules/voice";
import type { SetState } from "../rules/voice-set";
import type { Clock } from "../service/clock";
import type { Journal } from "../service/journal/journal";
import { stackOfUrn } from "../stacks/names";
import type { SavedSet, StackState } from "../stacks/state";
import type { States } from "../stacks/states";

const texts = z.array(z.string()).readonly();
type NamedInputs = Partial<CheckedVoice> & Pick<CheckedVoice, "preferredName" | "targetModel">;
const namedInputs = z.looseObject({ preferredName: z.string(), targetModel: z.string() });

const loggedCreate = z.object({
  key: z.string(),
  inputs: namedInputs as unknown as z.ZodType<NamedInputs>,
  /** The key of the journal's note about the create. */
  note: z.string().optional(),
  /** The voice, if an earlier update created it and no state has it yet. */
  voice: z.string().optional(),
});
/** A voice that an update was about to create. */
export type LoggedCreate = z.infer<typeof loggedCreate>;

const work = z.object({
  creates: z.array(loggedCreate).readonly(),
  deletes: texts,
  /** Voices that already had one of the names, or that left the set and stay: the update did not create them. */
  existing: texts,
});
/** What an update was about to do. */
export type LoggedWork = z.infer<typeof work>;

const update = z.object({
  /** The full name of the stack, and the name of the set there. */
  ...{ stack: z.string(), name: z.string() },
  instance: z.string(),
  /** The number of the update. The state gets this number once the outcome of the update is known. */
  update: z.number(),
  /** How many pending creates of the set the state had before the update: those of earlier, killed updates. */
  pendingBefore: z.number(),
  /** Present once the update has ended: the names in those of its creates whose outcomes are not known. */
  open: texts.optional(),
});
export type SetLogEntry = LoggedWork & z.infer<typeof update>;

const head = update.extend({
  /** The compressed work. If it is long, its first part, and `rest` has the keys of the notes with the other parts. */
  text: z.string(),
  rest: texts,
});

/** The longest part of the text in one note. A note may have 256 KB, and sealing a text makes it a third longer. */
const partLength = 150_000;
const mostBytes = 64 * 1024 * 1024;

/**
 * The log of a set: what its last update was about to do, noted in the journal before the first request. Its key is the
 * set's instance, which the state has. Until a state has the set, the stack and the URN lead to the instance.
 */
export class SetLog {
  constructor(
    private readonly parts: {
      journal: Journal;
      states: Pick<States, "backend" | "place" | "own" | "everywhere">;
      clock: Pick<Clock, "now">;
    },
  ) {}

  /**
   * The last entry of an instance. `damaged`: the entry can't be read, or is not sealed with this key. Then the update
   * may have done anything. Undefined too if the backend can't be identified: other backends may have the instance.
   */
  async find(instance: string): Promise<SetLogEntry | "damaged" | undefined> {
    if ((await this.parts.states.backend()) === undefined) return undefined;
    const key = await this.keyOf(instance);
    if ((await this.parts.journal.find(key)) === undefined) return undefined;
    const found = parsed(head, await this.textAt(key));
    if (found === undefined) return "damaged";
    const { text, rest, ...entry } = found;
    const parts = await Promise.all(rest.map(async (part) => parsed(z.string(), await this.textAt(part))));
    const content = parts.includes(undefined) ? undefined : parsed(work, unpacked([text, ...parts].join("")));
    return content === undefined ? "damaged" : { ...entry, ...content };
  }

  /** The key of a set's log (`instance`), which the last update of the set with this URN noted. Undefined without one. */
  async instanceOf(urn: string): Promise<string | undefined> {
    return parsed(z.string(), await this.textAt(await this.placeOf(urn)));
  }

  /**
   * The log of a set that the state has, if the last update did not end. Undefined too if the state is a copy, and the
   * stack that wrote the log still has the set.
   */
  async ofSaved({
    instance,
    updates,
  }: Pick<SavedSet, "instance" | "updates">): Promise<SetLogEntry | "damaged" | undefined> {
    const logged = await this.find(instance);
    if (logged === undefined || logged === "damaged") return logged;
    return logged.update <= updates || (await this.isCopied(logged)) ? undefined : logged;
  }

  private async isCopied({ stack, instance }: SetLogEntry): Promise<boolean> {
    const { states } = this.parts;
    if ((await states.own()).stack === stack) return false;
    const all = await states.everywhere().catch(() => undefined);
    return all === undefined || all.some((each) => each.stack === stack && each.instances.has(instance));
  }

  /**
   * The log of a set that no state has, because its create was killed: a new create of the set begins with it.
   * `pendingCreates`: how many pending creates of the set the state had before the operation. The engine keeps them in
   * the state.
   */
  async ofUnsaved(
    urn: string,
    { instances }: Pick<StackState, "instances">,
    pendingCreates: () => number | Promise<number>,
  ): Promise<SetLogEntry | "damaged" | undefined> {
    const instance = await this.instanceOf(urn);
    // A state has the set of this log. E.g. `--replace` now creates a new set beside that set.
    if (instance === undefined || instances.has(instance)) return undefined;
    const unsaved = await this.find(instance);
    if (unsaved === undefined || unsaved === "damaged" || unsaved.open === undefined) return unsaved;
    // The engine has saved the end of this update if the update left no pending create. Voices that have left the set
    // since then may stay in the account, so return only the open creates.
    if ((await pendingCreates()) > unsaved.pendingBefore) return unsaved;
    const { open } = unsaved;
    const creates = unsaved.creates.filter(({ inputs }) => open.includes(inputs.preferredName));
    return creates.length > 0 ? { ...unsaved, creates } : undefined;
  }

  /**
   * The updates of sets of this stack whose ends are not noted. The other functions need the URN of a set or a state
   * that has the set. This function finds a set that is neither in the program nor in a state.
   */
  async unended(stack: string): Promise<SetLogEntry[]> {
    const { journal, states } = this.parts;
    if ((await states.backend()) === undefined) return [];
    const heads = (await journal.results()).map((text) => parsed(head, text));
    const begun = heads.filter((each) => each?.stack === stack && each.open === undefined);
    // The key of a log depends on the backend, so logs of other backends are not found.
    const logged = await Promise.all(begun.map((each) => this.find(each?.instance ?? "")));
    return logged.flatMap((each) => (each === undefined || each === "damaged" ? [] : [each]));
  }

  /** Logs an update before its first request. Returns a function that notes the end of the update. */
  async begin(
    { creates, deletes, existing, ...entry }: SetLogEntry,
    urn: string,
  ): Promise<(open: readonly string[]) => Promise<void>> {
    const { instance } = entry;
    const content = JSON.stringify({ creates, deletes, existing } satisfies LoggedWork);
    const text = gzipSync(content).toString("base64");
    const rest: string[] = [];
    for (let start = partLength; start < text.length; start += partLength) {
      // Give each part a new key: a kill before the head is written then leaves the former log whole.
      const key = this.parts.journal.keyOf("voice set", randomUUID());
      await this.write(key, text.slice(start, start + partLength));
      rest.push(key);
    }
    const begun = { ...entry, text: text.slice(0, partLength), rest };
    await this.write(await this.keyOf(instance), begun);
    // Last: until then, the place may lead to the log of another instance, whose creates this entry carries.
    await this.write(await this.placeOf(urn), instance);
    return async (open) => this.write(await this.keyOf(instance), { ...begun, open });
  }

  private async keyOf(instance: SetState["instance"]): Promise<string> {
    const { journal, states } = this.parts;
    return journal.keyOf("voice set", await states.backend(), instance);
  }

  private async placeOf(urn: string): Promise<string> {
    const { journal, states } = this.parts;
    return journal.keyOf("voice set", await states.place(stackOfUrn(urn)), urn);
  }

  /** A note without a valid seal proves nothing. */
  private async textAt(key: string): Promise<string | undefined> {
    const note = await this.parts.journal.find(key);
    return note?.unproven ? undefined : note?.result;
  }

  private async write(key: string, content: unknown): Promise<void> {
    const { journal, clock } = this.parts;
    await journal.write(key, { sentAtMs: clock.now(), result: JSON.stringify(content) }, true);
  }
}

function unpacked(text: string): string | undefined {
  return attempt(() => gunzipSync(Buffer.from(text, "base64"), { maxOutputLength: mostBytes }).toString());
}

function parsed<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  return schema.safeParse(attempt((): unknown => JSON.parse(text ?? "null"))).data;
}
