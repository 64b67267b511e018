import type { VoiceHolder } from "./voice-holder";

/** What an update does with the voice of one resource. */
export interface VoiceStep {
  urn: string;
  /** A voice is created, and paid for. */
  creates: boolean;
  /** The existing voice that the resource takes or adopts. */
  takes?: string | undefined;
  /** The voice that the state has for the resource, if that is not under this URN. */
  old?: string | undefined;
  /** When the old voice goes: before or after the others are created. Absent for one that stays with its resource. */
  leaves?: "first" | "last" | undefined;
  /** The old voice leaves the state and stays in the account (`retainOnDelete`). */
  retained?: boolean | undefined;
}

/** What there is before the update. */
export interface Before {
  held: Holdings;
  /** The number of voices in the account. */
  inAccount: number;
  /** Whether the account has the voice. */
  exists: (voice: string) => boolean;
}

/** How many voices there are now, at most during the update, and after it. */
export interface Counts {
  now: number;
  peak: number;
  after: number;
  /** How many the update adds. */
  added: number;
}

/** The voices in the state of a stack. */
export class Holdings {
  readonly voices: ReadonlySet<string>;
  readonly oldCopies: readonly VoiceHolder[];
  private readonly live = new Map<string, VoiceHolder>();

  constructor(holders: readonly VoiceHolder[]) {
    this.voices = new Set(holders.map(({ voice }) => voice));
    this.oldCopies = holders.filter(({ isOld }) => isOld);
    for (const holder of holders) if (!holder.isOld) this.live.set(holder.urn, holder);
  }

  voiceOf(urn: string): string | undefined {
    return this.live.get(urn)?.voice;
  }

  /** The voices that live resources still have when these steps have taken theirs away. */
  keptAfter(steps: readonly VoiceStep[]): Set<string> {
    const left = new Map(this.live);
    const gone = new Set(steps.flatMap(({ urn, old }) => (left.delete(urn) ? [] : (old ?? []))));
    return new Set([...left.values()].map(({ voice }) => voice).filter((voice) => !gone.has(voice)));
  }
}

/**
 * How many voices the account and the stack have during an update: the one rule of `check`, of a review and of the
 * other commands. New voices are created first and old ones are deleted last, except where a replacement deletes first.
 *
 * A voice of the state that the account does not have keeps its place in the stack, because a refresh creates it again.
 * When it is created again, it takes that place.
 */
export function planVoices(steps: readonly VoiceStep[], before: Before): { account: Counts; stack: Counts } {
  const { held, inAccount, exists } = before;
  const taken = new Set(steps.flatMap(({ takes }) => takes ?? []));
  const moves = steps.flatMap((step): VoiceStep[] => {
    const old = step.old ?? held.voiceOf(step.urn);
    const isGone = step.creates && old !== undefined && !exists(old);
    const leaves = step.leaves ?? (isGone ? "first" : undefined);
    return leaves === undefined ? [] : [{ ...step, old, leaves }];
  });
  // No step shows these: an interrupted replacement left them, and the update deletes them.
  const copies = held.oldCopies.map((copy): VoiceStep => ({
    ...copy,
    creates: false,
    old: copy.voice,
    leaves: "last",
  }));
  const kept = held.keptAfter(moves);
  const going = [...moves, ...copies].filter(({ old = "" }) => !taken.has(old) && !kept.has(old));
  const isThere = ({ old }: VoiceStep) => old === undefined || exists(old);
  const created = steps.filter(({ creates }) => creates);
  return {
    account: counts(inAccount, {
      added: created.length,
      going: going.filter((step) => isThere(step) && step.retained !== true),
      isFirst: ({ leaves }) => leaves === "first",
    }),
    stack: counts(held.voices.size, {
      added: created.length + [...taken].filter((voice) => !held.voices.has(voice)).length,
      going: going.filter(({ old }) => old === undefined || held.voices.has(old)),
      isFirst: (step) => step.leaves === "first" || !isThere(step),
    }),
  };
}

function counts(
  now: number,
  { added, going, isFirst }: { added: number; going: VoiceStep[]; isFirst: (step: VoiceStep) => boolean },
): Counts {
  const distinct = (steps: VoiceStep[]) => new Set(steps.map(({ old, urn }) => old ?? urn)).size;
  const peak = Math.max(now, now + added - distinct(going.filter(isFirst)));
  return { now, peak, after: now + added - distinct(going), added };
}

/** The steps of one operation of the engine, as far as it has checked its resources. */
export class QuotaPlan {
  private readonly steps = new Map<string, VoiceStep>();
  private readonly deletedFirst = new Set<string>();
  private readonly missing = new Set<string>();

  /** The resource gets a voice. `missing`: the voice that it has in the state does not exist. */
  add(step: VoiceStep, missing?: string): void {
    this.steps.set(step.urn, step);
    if (missing !== undefined) this.missing.add(missing);
  }

  /** The update deletes the resource's old voice before it creates the new one. */
  freesFirst(urn: string): void {
    this.deletedFirst.add(urn);
  }

  counts(inAccount: number, held: Holdings): ReturnType<typeof planVoices> {
    const steps = [...this.steps.values()].map((step): VoiceStep =>
      this.deletedFirst.has(step.urn) ? { ...step, leaves: "first" } : step,
    );
    return planVoices(steps, { held, inAccount, exists: (voice) => !this.missing.has(voice) });
  }
}
