import type { Props } from "../../provider/src/lifecycle/lifecycle";
import type { Replaced } from "./engine";
import type { Processes } from "./process";
import { type Entry, nameOf } from "./state";
import type { Service, SimulatedVoice } from "./service";

/**
 * What was wanted, what was billed for it, and what must not happen at any moment. An *intent* is one resource with one
 * content: it is wanted once from its first create until a state has it, however many runs that takes.
 */
export class Ledger {
  readonly violations: string[] = [];
  private readonly wanted = new Map<string, number>();
  private readonly billed = new Map<string, number>();
  private readonly open = new Set<string>();
  private readonly intents = new WeakMap<Processes, Map<string, string>>();
  private readonly deleteAsked = new Set<number>();
  /** Voices that the person lost by putting back an old state, or gave up in the middle of a create. */
  private readonly givenUp = new Set<string>();
  /** The stacks from which resources were moved to another stack. */
  readonly moved = new Set<string>();
  /** Voices that two stacks hold: a person put back an old state, or gave two organizations no namespace. */
  readonly sharedByPerson = new Set<string>();
  /** Given up: two providers of one program count as two stacks, so what one adopted goes with its creator. */
  readonly goneWithCreator = new Set<string>();
  /** Voices that somebody deleted outside Pulumi. */
  readonly deletedOutside = new Set<string>();
  /** The stack whose create was billed, by its intent. Renaming a stack and moving a resource make it another one's. */
  private readonly stackOf = new Map<string, string>();
  private readonly intentOfName = new Map<string, string>();
  /** How often voices and images were billed, in all. */
  billedInAll = 0;

  /** A create begins. An intent that is still open is wanted already. */
  want(processes: Processes, urn: string, inputs: Props, stack: string): void {
    if (inputs.adopt !== undefined) return;
    const intent = intentOf(urn, inputs);
    this.stackOf.set(intent, stack);
    this.intentOfName.set(String(inputs.preferredName), intent);
    if (!this.open.has(intent)) this.wanted.set(intent, (this.wanted.get(intent) ?? 0) + 1);
    this.open.add(intent);
    const intents = this.intents.get(processes) ?? new Map<string, string>();
    this.intents.set(processes, intents.set(String(inputs.preferredName ?? inputs.prompt), intent));
  }

  /** A resource is replaced: somebody must have edited it. */
  replace({ old, ignoreAudio, isForced }: Replaced, inputs: Props): void {
    if (isForced || old.kind !== "voice" || contentOf(old.inputs, ignoreAudio) !== contentOf(inputs, ignoreAudio))
      return;
    this.violations.push(`${nameOf(old.urn)} is replaced, and nobody edited it`);
  }

  /** A state has the resource of the intent. */
  fulfil(urn: string, inputs: Props): void {
    if (inputs.adopt === undefined) this.open.delete(intentOf(urn, inputs));
  }

  bill(processes: Processes, requested: string): string {
    const intent = this.intents.get(processes)?.get(requested) ?? `nobody wanted ${requested}`;
    this.billed.set(intent, (this.billed.get(intent) ?? 0) + 1);
    this.billedInAll++;
    return intent;
  }

  /** A task was billed, and its id never reached the provider: nothing can find it again. */
  allowAnother(intent: string): void {
    this.wanted.set(intent, (this.wanted.get(intent) ?? 0) + 1);
  }

  /** A person agreed to pay for this voice again. */
  allowNamed(preferredName: string): void {
    const intent = this.intentOfName.get(preferredName);
    if (intent !== undefined) this.allowAnother(intent);
  }

  /** The log reports that a submission may be billed a second time: no list shows the first one. */
  reportedLostTask(name: string): void {
    for (const intent of this.open)
      if (intent.includes(`::${name}"`) && intent.includes("GeneratedImage")) this.allowAnother(intent);
  }

  askedToDelete(entry: Entry): void {
    this.deleteAsked.add(entry.uid);
    // Deleting an image ends what was wanted: the next one is a new one. A voice can still be found by its name.
    if (entry.kind === "image" && !entry.isOld)
      for (const intent of this.open)
        if (intent.startsWith(JSON.stringify([entry.urn]).slice(0, -1))) this.open.delete(intent);
  }

  /**
   * The service deletes a voice because a provider process asked for it. A resource that adopted the voice loses it when
   * its creator goes: no provider sees the other stacks.
   *
   * @param holders - the entries with this voice
   * @param staying - of these, without those that the update removes
   */
  deleted(voice: SimulatedVoice, stack: string, holders: readonly Entry[], staying: readonly Entry[]): void {
    const holder = staying.find(
      ({ uid, isOld, pendingReplacement, outputs }) =>
        !isOld && !pendingReplacement && outputs.adopted !== true && !this.deleteAsked.has(uid),
    );
    if (holder && !this.sharedByPerson.has(voice.voice))
      this.violations.push(`the voice of the live resource ${nameOf(holder.urn)} was deleted: ${voice.voice}`);
    const creator = holders.find(({ outputs }) => outputs.adopted !== true);
    if (creator && holders.some(({ process }) => process !== creator.process)) this.goneWithCreator.add(voice.voice);
    if (voice.key === undefined) this.violations.push(`the voice of somebody else was deleted: ${voice.voice}`);
    else if (!this.sharedByPerson.has(voice.voice) && !this.mayBeOf(voice.key, stack))
      this.violations.push(`${stack} deleted a voice that ${this.stackOf.get(voice.key)} created: ${voice.voice}`);
  }

  private mayBeOf(intent: string, stack: string): boolean {
    const creator = firstName(this.stackOf.get(intent) ?? stack);
    return creator === firstName(stack) || [...this.moved].map(firstName).includes(creator);
  }

  /** A refresh removes the entry from the state. */
  missed(entry: Entry, service: Service, processes: Processes): void {
    if (entry.kind !== "voice") return;
    if (!service.hasReadToTheEnd(processes))
      this.violations.push(`a refresh removed ${nameOf(entry.urn)} from the state without a whole list: ${entry.id}`);
    if (service.exists(entry.id))
      this.violations.push(`a refresh removed ${nameOf(entry.urn)} from the state, and its voice exists: ${entry.id}`);
  }

  deleteOutside(voice: SimulatedVoice): void {
    this.deletedOutside.add(voice.voice);
    if (voice.key !== undefined && this.open.has(voice.key)) this.allowAnother(voice.key);
  }

  /**
   * The person put back a state that does not have these voices. A later create may take one of them over, and leave
   * another voice of the same name in its place.
   */
  giveUp(voices: Iterable<SimulatedVoice>): void {
    for (const { voice, preferredName } of voices) this.givenUp.add(voice).add(preferredName);
  }

  isGivenUp({ voice, preferredName, key }: SimulatedVoice): boolean {
    return (
      this.givenUp.has(voice) ||
      this.givenUp.has(preferredName) ||
      (key !== undefined && (this.open.has(key) || this.givenUp.has(key)))
    );
  }

  /** What was billed more often than it was wanted. */
  overbilled(): string[] {
    const wantedOf = sums(this.wanted);
    return [...sums(this.billed)].flatMap(([intent, billed]) => {
      const wanted = wantedOf.get(intent) ?? 0;
      return billed > wanted ? [`billed ${billed} times, wanted ${wanted} times: ${intent}`] : [];
    });
  }
}

/** The first name of a stack: each rename adds an x. Given up: two organizations without a namespace share a voice. */
const firstName = (stack: string) => stack.replace(/x+$/, "").replace(/^\w+\//, "");

/** The counts, added up for images with equal inputs: the service does not see which one a task is for. */
function sums(counts: ReadonlyMap<string, number>): Map<string, number> {
  const all = new Map<string, number>();
  for (const [intent, count] of counts) {
    const prompt = intent.startsWith("[") ? (JSON.parse(intent) as unknown[])[3] : undefined;
    const key = typeof prompt === "string" ? `the image ${prompt}` : intent;
    all.set(key, (all.get(key) ?? 0) + count);
  }
  return all;
}

/** What a voice is made from. A path counts by its bytes. */
function contentOf(inputs: Props, ignoreAudio: boolean): string {
  const { targetModel, audio, audioSha256, text, language, triggers, preferredName, nameVersion } = inputs;
  const chosen = nameVersion === undefined ? preferredName : undefined;
  return JSON.stringify([targetModel, ignoreAudio || (audioSha256 ?? audio), text, language, triggers, chosen]);
}

function intentOf(urn: string, inputs: Props): string {
  const { targetModel, audio, audioSha256, prompt, state, triggers, preferredName, nameVersion } = inputs;
  const chosen = nameVersion === undefined ? preferredName : undefined;
  return JSON.stringify([urn, targetModel, audioSha256 ?? audio, prompt, state, triggers, chosen]);
}
