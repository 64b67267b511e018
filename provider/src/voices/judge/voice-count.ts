import { overQuota } from "../../rules/preview-lines";
import type { QuotaCheck } from "../../rules/settings";
import type { VoiceHolder } from "../holder";

export interface VoiceStep {
  urn: string;
  /** A voice is created, and paid for. */
  creates: boolean;
  /** The existing voice that the resource reuses or adopts. */
  takes?: string | undefined;
  /** The voice of the resource in the state, if the state has the resource under another URN. */
  old?: string | undefined;
  /** When the old voice is deleted: before or after the creates. Absent if the resource keeps it. */
  leaves?: "first" | "last" | undefined;
  /** The old voice leaves the state and stays in the account (`retainOnDelete`). */
  retained?: boolean | undefined;
}

/** Numbers of voices: now, at most during the update, and after it. `added`: the new voices. */
export interface Counts {
  now: number;
  peak: number;
  after: number;
  added: number;
}

export class Holdings {
  readonly voices: ReadonlySet<string>;
  readonly oldCopies: readonly VoiceHolder[];
  readonly voiceByUrn = new Map<string, string>();
  readonly live = new Map<string, number>();

  constructor(holders: readonly VoiceHolder[]) {
    this.voices = new Set(holders.map(({ voice }) => voice));
    this.oldCopies = holders.filter(({ isOld }) => isOld);
    for (const { urn, voice, isOld } of holders) {
      if (isOld) continue;
      this.voiceByUrn.set(urn, voice);
      this.live.set(voice, (this.live.get(voice) ?? 0) + 1);
    }
  }
}

/**
 * A voice that one or more resources give up, and its id (`old`). If the state could not be read, the id is unknown and
 * the URN is the key.
 */
interface Leaving {
  old: string | undefined;
  resources: number;
  first: boolean;
  retained: boolean;
}

/**
 * How many voices the account and the stack have during an update. New voices are created first and old ones are
 * deleted last, except where a replacement deletes first.
 *
 * A voice that the state has and the account lacks counts as a voice of the stack: a refresh removes its entry, and the
 * next update creates it again. When it is created again, the stack's count stays the same. `inAccount` is the number
 * of voices in the account before the update.
 */
export function planVoices(
  steps: Iterable<VoiceStep>,
  { held, inAccount, exists }: { held: Holdings; inAccount: number; exists: (voice: string) => boolean },
): { account: Counts; stack: Counts } {
  const taken = new Set<string>();
  const leaving = new Map<string, Leaving>();
  let created = 0;
  for (const { urn, creates, takes, old: named, leaves: stated, retained = false } of steps) {
    if (creates) created++;
    if (takes !== undefined) taken.add(takes);
    const old = named ?? held.voiceByUrn.get(urn);
    const leaves = creates && old !== undefined && !exists(old) ? "first" : stated;
    if (leaves === undefined) continue;
    // If several resources give up a voice, it is deleted with the last of them.
    const { resources, first } = leaving.get(old ?? urn) ?? { resources: 0, first: true };
    leaving.set(old ?? urn, { old, resources: resources + 1, first: first && leaves === "first", retained });
  }
  // Old copies that an interrupted replacement left. No step shows them, and the update deletes them.
  for (const { voice: old, retained = false } of held.oldCopies) {
    const step = leaving.get(old) ?? { old, resources: 0, first: false, retained };
    // While an old copy holds the voice, the delete of another entry keeps the voice.
    leaving.set(old, { ...step, first: step.first && !held.live.has(old) });
  }

  const adopted = [...taken].filter((voice) => !held.voices.has(voice)).length;
  const account = { now: inAccount, added: created, first: 0, gone: 0 };
  const stack = { now: held.voices.size, added: created + adopted, first: 0, gone: 0 };
  for (const [key, { old, resources, first, retained }] of leaving) {
    const isKept = taken.has(key) || (held.live.get(key) ?? 0) > resources;
    if (isKept) continue;
    const isThere = old === undefined || exists(old);
    if (isThere && !retained) leave(account, first);
    if (old === undefined || held.voices.has(old)) leave(stack, first);
  }
  return { account: countsOf(account), stack: countsOf(stack) };
}

type Tally = Record<"now" | "added" | "first" | "gone", number>;

function leave(tally: Tally, first: boolean): void {
  tally.gone++;
  if (first) tally.first++;
}

function countsOf({ now, added, first, gone }: Tally): Counts {
  return { now, peak: Math.max(now, now + added - first), after: now + added - gone, added };
}

/** Collects the steps of one operation, for the resources that the engine has checked so far. */
export class QuotaPlan {
  private readonly steps = new Map<string, VoiceStep>();
  private readonly deletedFirst = new Set<string>();
  private readonly missing = new Set<string>();
  private readonly left = new Set<string>();
  private held: Holdings | undefined;

  /** Adds the step of a resource that gets a voice. `missing`: its voice in the state, which does not exist. */
  add(step: VoiceStep, missing?: string): void {
    this.steps.set(step.urn, this.deletedFirst.has(step.urn) ? { ...step, leaves: "first" } : step);
    if (missing !== undefined) this.missing.add(missing);
  }

  /** Records that the update deletes the resource's old voice before it creates the new one. */
  freesFirst(urn: string): void {
    this.deletedFirst.add(urn);
  }

  /** Records that the refresh before the update removed a resource from the state, because its voice does not exist. */
  leave(voice: string): void {
    this.left.add(voice);
  }

  /** The voices that the stack holds when the update begins. Cached, because a thousand checks ask for them. */
  holdings(holders: readonly VoiceHolder[]): Holdings {
    return (this.held ??= new Holdings(holders.filter(({ voice }) => !this.left.has(voice))));
  }

  counts(inAccount: number, held: Holdings): ReturnType<typeof planVoices> {
    return planVoices(this.steps.values(), {
      held,
      inAccount,
      exists: (voice) => !this.missing.has(voice),
    });
  }
}

export function isOver(
  whose: "account" | "stack",
  { now, peak, added }: Omit<Counts, "after">,
  limit: number,
): boolean {
  // The service refuses each create in a full account. A stack over its own limit may still replace voices.
  return peak > limit && (whose === "account" ? added > 0 : peak > now);
}

const counted = (voices: number) => `${voices} ${voices === 1 ? "voice" : "voices"}`;

export function quotaProblem(
  whose: "account" | "stack",
  counts: Omit<Counts, "after">,
  limit: number,
  check: QuotaCheck,
): string | undefined {
  if (check === "off" || !isOver(whose, counts, limit)) return undefined;
  const { now, peak, added } = counts;
  if (whose === "stack") {
    return overQuota.write(
      `this update needs more voices than the stack may have: cloudvoice:stackQuota is ${limit}. ` +
        `The stack has ${counted(now)}. The resources checked so far add ${added}, and the update needs ${peak} at its ` +
        "peak. Remove voices from the program first, let replacements delete first with deleteBeforeReplace, or raise " +
        "cloudvoice:stackQuota",
    );
  }
  return overQuota.write(
    `the account is too small for this update: it has ${counted(now)}. The resources checked so far create ${added}, ` +
      `and the update needs ${peak} at its peak; the quota is ${limit}. ` +
      "Delete voices (`npx --no-install pulumi-cloudvoice voices` lists them, `npx --no-install pulumi-cloudvoice delete` deletes them), " +
      "let replacements delete first with deleteBeforeReplace, " +
      "or use another account. If the account has another quota, set cloudvoice:voiceQuota; " +
      "cloudvoice:quotaCheck turns this check into a warning (warn) or off (off)",
  );
}
