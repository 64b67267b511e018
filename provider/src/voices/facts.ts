import { once, onceSuccessful } from "../once";
import { nameOfVoice } from "../rules/naming";
import type { IsName, NameSource } from "../rules/own-name";
import type { Settings } from "../rules/settings";
import { createdAt } from "../rules/time";
import type { Service } from "../service/connect";
import { UncertainListError } from "../service/voices/account";
import type { ListedVoice } from "../service/voices/client";
import { lookUntilFound } from "../service/voices/look";
import { stackOfHolder, stackOfUrn } from "../stacks/names";
import type { Reading, States, Unread } from "../stacks/states";
import { isNameOfHolder, labelOf, processOf, serverOf, type VoiceHolder } from "./holder";
import { describeUnread } from "./judge/delete";
import { accountsProven } from "./judge/missing";

interface Parts {
  service: Pick<Service, "account" | "clock" | "voiceFingerprint">;
  settings: Pick<Settings, "settleMs" | "namespace" | "apiKey">;
  states: States;
  log: Record<"once" | "warnOnce", (topic: string, line: string) => void> & { line: (line: string) => void };
  startedAtMs: number;
}

interface Identified {
  identity?: { urn: string; savedUrn?: string; provider?: string } | undefined;
}

/** The facts about voices that the engine's calls do not show: the account's list and the saved states. */
export class VoiceFacts {
  constructor(private readonly parts: Parts) {}

  /**
   * All voices that the states of this project, or of the backend, hold. Warns once about states that can't be read.
   * With such states (`unread`), the result proves that a voice has a holder, but not that a voice is free.
   */
  async holders(where: "project" | "everywhere"): Promise<Reading> {
    const reading = await this.parts.states.readable(where);
    if (reading.unread.length > 0) this.warnOfUnread(reading.unread);
    return reading;
  }

  warnOfUnread(unread: readonly Unread[]): void {
    this.parts.log.warnOnce(
      "states",
      `these states could not be read: ${describeUnread(unread)}, ` +
        "so this operation does not know which voices other resources hold",
    );
  }

  /**
   * The holders of the voice in the readable states. Empty if no state can be read, so do not delete or reuse a voice
   * because it has no holder here.
   */
  async holdersOf(voice: string): Promise<VoiceHolder[]> {
    const { states } = this.parts;
    const { holders } = await states.readable("project");
    return states.holding(voice, holders).filter(({ isOld }) => !isOld);
  }

  /**
   * Whether the name of a voice shows that the voice was made for this resource with this content. A resource that got
   * another URN in this operation (an alias) still has its former URN in the state. If no program runs, a dynamic
   * provider does not get the URN, and only the state has it.
   */
  async isNamedFor(voice: string, state: object, { label, identity }: Identified & { label: string }): Promise<IsName> {
    const { states, settings } = this.parts;
    const { holders } = await states.readable("project");
    const saved = states.holding(voice, holders).filter((holder) => labelOf(holder) === label);
    const told = identity && (await states.stacksOf(identity.urn)).map((stack) => ({ urn: identity.urn, stack }));
    const inputs = state as NameSource["inputs"];
    const resources = [
      ...(told ?? []).map((each) => ({ ...each, madeFrom: inputs })),
      ...saved.filter((holder) => told?.some(({ stack }) => stack === holder.stack) ?? true),
    ];
    const answers: IsName[] = [];
    for (const each of resources) {
      const answer = isNameOfHolder(each, nameOfVoice(voice), settings);
      // Do not generate further names: that takes time, and each of a thousand deletes comes here.
      if (answer === "yes") return answer;
      answers.push(answer);
    }
    return answers.length === 0 || answers.includes("unknown") ? "unknown" : "no";
  }

  /**
   * The other resource that holds a voice which this resource adopts or imports. Undefined if the holder has the same
   * stack and process, and no target omits it: then this operation's calls show what happens to the holder. A holder
   * with `retainOnDelete` does not count.
   */
  async holderElsewhere(voice: string, { identity }: Identified, isLeftOut: (holder: VoiceHolder) => boolean) {
    const known = await this.holders("everywhere");
    const holders = known.holders.filter((each) => each.voice === voice && !each.retained);
    const own = holders.length === 0 ? undefined : await this.parts.states.own().catch(() => undefined);
    const here = processOf(identity);
    return holders.find((each) => each.stack !== own?.stack || processOf(each) !== here || isLeftOut(each));
  }

  /** The stack of a resource, `project/stack`, as far as its URN or the states show it. */
  async stackOf(voice: string, resource: Identified | undefined): Promise<string> {
    const own = stackOfUrn(resource?.identity?.urn);
    if (own !== "") return own;
    const [holder] = await this.holdersOf(voice);
    return holder ? stackOfHolder(holder) : "";
  }

  /**
   * Looks for a voice that a state names. Returns its row, or why it may exist although it is not listed. Returns
   * neither if it is gone.
   */
  async look(voice: string, at: string | undefined): Promise<{ found?: ListedVoice | undefined; doubt?: string }> {
    try {
      return { found: (await this.parts.service.account.find(voice)) ?? (await this.findLate(voice, at)) };
    } catch (error) {
      if (!(error instanceof UncertainListError)) throw error;
      const found = await this.findLate(voice, at);
      return found ? { found } : { doubt: error.doubt };
    }
  }

  /** Whether the voice certainly does not exist. Rejects with an {@link UncertainListError}. */
  async isGone(voice: string, at: string | undefined): Promise<boolean> {
    return !(await this.parts.service.account.isListedNow(voice)) && (await this.findLate(voice, at)) === undefined;
  }

  /**
   * Looks again for a voice that the list did not have. A voice that was created a moment ago may appear late, so its
   * absence is certain only after `settleSeconds`.
   */
  private async findLate(voice: string, at: string | undefined): Promise<ListedVoice | undefined> {
    const { service, settings, log, startedAtMs } = this.parts;
    const { account, clock } = service;
    const certainFromMs = Date.parse(createdAt(at) ?? "") + settings.settleMs;
    if (!(certainFromMs > startedAtMs)) return undefined;
    // The service's clock may differ from ours, so never wait longer than `settleMs`.
    const forMs = Math.min(settings.settleMs, certainFromMs - clock.now());
    const line = `looks in the list for ${voice}, which is new, for up to ${Math.ceil(forMs / 1000)} s`;
    return lookUntilFound({ clock, forMs, beforeWait: () => log.once("late", line) }, async () =>
      (await account.voicesNow()).find((row) => row.voice === voice),
    );
  }

  /**
   * The voices that the list lacks `settleSeconds` after the start of the operation, and why each may still exist.
   * Before that time, the list may show deleted voices.
   */
  async goneAtEnd<T extends { voice: string }>(voices: T[]): Promise<{ gone: T; doubt?: string | undefined }[]> {
    const at = await this.lookAtEnd();
    return voices.flatMap((gone) => {
      const { isListed, doubt } = at(gone.voice);
      return isListed ? [] : [{ gone, doubt }];
    });
  }

  private readonly lookAtEnd = onceSuccessful(async () => {
    const { service, settings, log, startedAtMs } = this.parts;
    const leftMs = Math.max(0, startedAtMs + settings.settleMs - service.clock.now());
    if (leftMs > 0)
      log.line(`waits ${Math.ceil(leftMs / 1000)} s, then looks again whether the voices to be taken over still exist`);
    await service.clock.sleep(leftMs);
    return service.account.lookNow();
  });

  /**
   * The accounts in which the stack's voices were made, each with one of the voices. Only resources that this process
   * serves count.
   */
  readonly accountsOfStack = once(async ({ identity }: Identified): Promise<Map<string, string>> => {
    const own = await this.parts.states.ownAtStart().catch(() => undefined);
    const served = (holder?: Partial<VoiceHolder>) => serverOf(processOf(holder));
    const here = (own?.holders ?? []).filter((holder) => served(holder) === served(identity));
    return new Map(here.flatMap(({ account, voice }) => (account === undefined ? [] : [[account, voice] as const])));
  });

  async isSameAccount(recorded: string): Promise<boolean> {
    return recorded === this.parts.service.voiceFingerprint() || (await this.accounts()).has(recorded);
  }

  private readonly accounts = onceSuccessful(async () => {
    const { holders } = await this.holders("project");
    const listed = new Set((await this.parts.service.account.voices()).map(({ voice }) => voice));
    return accountsProven(holders, listed);
  });
}
