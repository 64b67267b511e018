import { describeThrown } from "../../../describe-thrown";
import { once, oncePer, onceSuccessful } from "../../../once";
import { lookWaitsMs } from "../../../rules/lost-create";
import { countedVoices, type Loss, missingQuestion } from "../../../rules/mass-loss";
import type { Settings } from "../../../rules/settings";
import { createdAt } from "../../../rules/time";
import { isDefaultProvider, processOf, type VoiceHolder } from "../../../rules/voice-holder";
import type { Service } from "../../../service/connect";
import type { Journal } from "../../../service/journal";
import type { ListedVoice } from "../../../service/voices/client";
import { UncertainListError } from "../../../service/voices/account";
import type { States } from "../../../stacks/states";
import { UnfinishedCreates } from "../../../voices/unfinished-creates";
import type { Resource } from "../lifecycle";
import type { Log } from "../log";
import { type Questions, stackOfHolder, stackOfUrn } from "../questions";

interface EvidenceParts {
  service: Pick<Service, "account" | "clock" | "voiceFingerprint">;
  settings: Pick<Settings, "settleMs" | "voiceBaseUrl" | "voicePrice" | "currency">;
  questions: Questions;
  journal: Journal;
  states: States;
  log: Log;
  startedAtMs: number;
}

/**
 * What is known of voices beside the account's list and the calls of this operation: the saved states of the stacks,
 * and the journal's notes of earlier runs.
 */
export class VoiceEvidence {
  private readonly missing = new Set<string>();
  private readonly hasVoiceOfAccount = oncePer((recorded: string) => onceSuccessful(() => this.hasVoiceOf(recorded)));
  private hasFound = false;

  /** The creates that earlier runs of this stack left unfinished. */
  readonly unfinished: UnfinishedCreates;

  constructor(private readonly parts: EvidenceParts) {
    this.unfinished = new UnfinishedCreates({ ...parts, fingerprint: () => parts.service.voiceFingerprint() });
  }

  /**
   * Every voice that a state holds, of this project or of all projects in the backend; undefined, with one warning, if
   * the states can't be read.
   */
  async holders(where: "in this project" | "everywhere" = "in this project"): Promise<VoiceHolder[] | undefined> {
    const { states, log } = this.parts;
    try {
      return await (where === "everywhere" ? states.allHolders() : states.holders());
    } catch (error) {
      log.warnOnce(
        "states",
        `the states of ${where === "everywhere" ? "all stacks" : "this project's stacks"} could not be read ` +
          `(${describeThrown(error).message}), ` +
          "so this operation does not know which voices other resources hold",
      );
      return undefined;
    }
  }

  /**
   * The resource that holds a voice which this one is to adopt or import, unless this operation shows what becomes of it:
   * it is of the same stack and process, and not left out. A voice that stays (`retainOnDelete`) may be taken.
   */
  async holderElsewhere(voice: string, { identity }: Resource, isLeftOut: (holder: VoiceHolder) => boolean) {
    const holders = ((await this.holders("everywhere")) ?? []).filter((each) => each.voice === voice && !each.retained);
    const own = holders.length === 0 ? undefined : await this.parts.states.own().catch(() => undefined);
    const here = processOf(identity);
    return holders.find((each) => each.stack !== own?.stack || processOf(each) !== here || isLeftOut(each));
  }

  /** Who holds the voice, as far as the states can be read. Only for what neither deletes nor takes a voice. */
  async holdersOf(voice: string): Promise<VoiceHolder[]> {
    const { states } = this.parts;
    const holders = await states.holders().catch(() => []);
    return states.holding(voice, holders).filter(({ isOld }) => !isOld);
  }

  /** A voice that a state names: the listed one, why it may exist although it is not listed, or that it is gone. */
  async look(voice: string, at: string | undefined): Promise<{ found?: ListedVoice | undefined; doubt?: string }> {
    const { account } = this.parts.service;
    try {
      return { found: (await account.find(voice)) ?? (await this.findLate(voice, at)) };
    } catch (error) {
      if (!(error instanceof UncertainListError)) throw error;
      const found = await this.findLate(voice, at);
      return found ? { found } : { doubt: error.doubt };
    }
  }

  /** The stack of a resource, `project/stack`, as far as its URN or the states show it. */
  async stackOf(voice: string | undefined, resource: Pick<Resource, "identity"> | undefined): Promise<string> {
    const own = stackOfUrn(resource?.identity?.urn);
    if (own !== "" || voice === undefined) return own;
    const [holder] = await this.holdersOf(voice);
    return holder ? stackOfHolder(holder) : "";
  }

  /**
   * Looks for a voice again that the list did not have. One that was created a moment ago may appear late, so its absence
   * is certain only after `settleSeconds`.
   */
  async findLate(voice: string, at: string | undefined): Promise<ListedVoice | undefined> {
    const { service, settings, log, startedAtMs } = this.parts;
    const certainFromMs = Date.parse(createdAt(at) ?? "") + settings.settleMs;
    if (!(certainFromMs > startedAtMs)) return undefined;
    // The service's clock may differ from ours, so no more than the whole time is waited for.
    const leftMs = Math.min(settings.settleMs, certainFromMs - service.clock.now());
    const seconds = Math.ceil(leftMs / 1000);
    // Even when the time is over: the list that the operation read first may be older than the voice.
    for (const waitMs of [0, ...lookWaitsMs(leftMs)]) {
      if (waitMs > 0) log.once("late", `looks in the list for ${voice}, which is new, for up to ${seconds} s`);
      await service.clock.sleep(waitMs);
      const found = (await service.account.voicesNow()).find((row) => row.voice === voice);
      if (found) return found;
    }
    return undefined;
  }

  /** Those of the voices that the list does not show for `settleSeconds`: until then it may show what was deleted. */
  async goneAtEnd<T extends { voice: string }>(voices: T[]): Promise<T[]> {
    const listed = new Set((await this.listedAtEnd()).map(({ voice }) => voice));
    return voices.filter(({ voice }) => !listed.has(voice));
  }

  private readonly listedAtEnd = onceSuccessful(async () => {
    const { service, settings, log, startedAtMs } = this.parts;
    const leftMs = Math.max(0, startedAtMs + settings.settleMs - service.clock.now());
    if (leftMs > 0) log.line(`waits ${Math.ceil(leftMs / 1000)} s for a second look at the voices to take over`);
    await service.clock.sleep(leftMs);
    return service.account.allNow();
  });

  /**
   * Asks a person if the list does not prove that the voice is gone, or if the account has none of the voices of its stack,
   * of which several are missing then. Without states, the voices that this operation has looked up stand for the stack.
   */
  async askIfMissing(voice: string, doubt: string | undefined): Promise<void> {
    const { settings, questions } = this.parts;
    this.missing.add(voice);
    const holders = await this.holders();
    const stacks = new Set((await this.holdersOf(voice)).map(({ stack }) => stack));
    const losses = await Promise.all([...stacks].map(this.lossOf));
    // Old copies, and states that can't be read.
    if (losses.length === 0 && (doubt !== undefined || (holders === undefined && !this.hasFound)))
      losses.push({ stack: "", held: this.missing.size, missing: this.missing.size });
    for (const loss of losses) {
      const question = missingQuestion({ ...loss, doubt }, { ...settings, origin: settings.voiceBaseUrl });
      if (question) await questions.assertAccepted(question, `the voice ${voice} counts as gone`);
    }
  }

  readonly recordFound = () => void (this.hasFound = true);

  private readonly lossOf = oncePer(async (stack: string): Promise<Loss> => {
    const own = ((await this.holders()) ?? []).filter((holder) => holder.stack === stack);
    const held = countedVoices(own, this.parts.service.voiceFingerprint());
    let missing = 0;
    for (const each of held) if (!(await this.parts.service.account.has(each))) missing++;
    return { stack: own[0] ? stackOfHolder(own[0]) : "", held: held.size, missing };
  });

  /** The accounts in which the voices of the stack, as far as this process serves them, were made, each with a voice. */
  readonly accountsOfStack = once(async ({ identity }: Pick<Resource, "identity">): Promise<Map<string, string>> => {
    const own = await this.parts.states.ownAtStart().catch(() => undefined);
    // The default provider of another release served the same voices.
    const served = (holder?: Partial<VoiceHolder>) =>
      isDefaultProvider(processOf(holder)) ? "default" : processOf(holder);
    const here = (own?.holders ?? []).filter((holder) => served(holder) === served(identity));
    return new Map(here.flatMap(({ account, voice }) => (account === undefined ? [] : [[account, voice] as const])));
  });

  /**
   * Whether this key belongs to the account with the recorded fingerprint. A rotation changes the fingerprint, and only
   * a refresh renews it in the state. A voice exists in one account only. So one that the state records for the same
   * account, and that this account has, is the proof.
   */
  async isSameAccount(recorded: string): Promise<boolean> {
    if (recorded === this.parts.service.voiceFingerprint()) return true;
    return this.hasVoiceOfAccount(recorded)();
  }

  private async hasVoiceOf(recorded: string): Promise<boolean> {
    for (const { voice, account } of (await this.holders()) ?? []) {
      if (account === recorded && (await this.parts.service.account.has(voice))) return true;
    }
    return false;
  }
}
