import type { Settings } from "../../../rules/settings";
import { stackOfUrn } from "../../../stacks/names";
import type { Service } from "../../../service/connect";
import type { States } from "../../../stacks/states";
import type { VoiceFacts } from "../../../voices/facts";
import { byHandLine, createQuestion, type MadeByHand, voicesByHand } from "../../../voices/judge/by-hand";
import type { Log } from "../log";
import type { Resource } from "../lifecycle";
import type { Questions } from "../questions";

interface Known {
  service: Pick<Service, "account">;
  states: Pick<States, "ownAtStart">;
  facts: Pick<VoiceFacts, "holders">;
  settings: Settings;
  questions: Questions;
  log: Pick<Log, "warn" | "warnOnce">;
}

/** Notices, at the checks of an operation, that the account has voices made by hand for resources that will be created. */
export class VoicesByHand {
  private readonly found = new Map<string, MadeByHand>();

  constructor(private readonly known: Known) {}

  /** Warns of such voices. In a stack that has fewer voices, several are a question: the stack would pay for them again. */
  async noticeCreate({ name, identity }: Resource): Promise<void> {
    const { service, states, facts, settings, questions, log } = this.known;
    if (identity === undefined) return;
    // Without a list, the quota's check warns.
    const listed = await service.account.voices().catch(() => []);
    const named = voicesByHand(identity.urn, listed);
    if (named.length === 0) return;
    const { holders } = await facts.holders("everywhere");
    const held = new Set(holders.map(({ voice }) => voice));
    const voices = named.filter((voice) => !held.has(voice));
    if (voices.length === 0) return;
    this.found.set(identity.urn, { name, voices });
    log.warn(byHandLine({ name, voices }));
    const own = await states.ownAtStart().catch(() => undefined);
    // An update that was stopped by the question may have created some.
    if ((own?.holders.length ?? 0) >= this.found.size) return;
    const about = { ...settings, origin: settings.voiceBaseUrl };
    const question = createQuestion([...this.found.values()], stackOfUrn(identity.urn), about);
    if (question && !(await questions.isAccepted(question)))
      log.warnOnce("voices by hand", `the update will fail: ${await questions.textOf(question)}`);
  }
}
