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

/**
 * Notices, at the checks of an operation, that the account has voices made by hand for resources that will be created.
 */
export class VoicesByHand {
  private readonly found = new Map<string, MadeByHand>();

  constructor(private readonly known: Known) {}

  /**
   * Warns of voices made by hand for this resource. Asks if there are several such resources and the stack has fewer
   * voices, because the stack would pay for these voices again.
   */
  async noticeCreate({ name, identity }: Resource): Promise<void> {
    const { service, states, facts, settings, questions, log } = this.known;
    if (identity === undefined) return;
    // If the list can't be read, the quota check warns.
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
    // Compare with the number of matches: an update that the question stopped may have created some voices.
    if ((own?.holders.length ?? 0) >= this.found.size) return;
    const about = { ...settings, origin: settings.voiceBaseUrl };
    const question = createQuestion([...this.found.values()], stackOfUrn(identity.urn), about);
    if (question && !(await questions.isAccepted(question)))
      log.warnOnce("voices by hand", `the update will fail: ${await questions.textOf(question)}`);
  }
}
