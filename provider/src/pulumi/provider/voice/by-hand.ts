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

/** Notices in `check` that somebody has created voices by hand for resources that the update will create. */
export class VoicesByHand {
  private readonly found = new Map<string, MadeByHand>();

  constructor(private readonly known: Known) {}

  /**
   * Warns if the account has voices made by hand for this resource. If there are several such resources, and the stack
   * holds fewer voices than their number, opens a question, because the update would pay for these voices again.
   */
  async noticeCreate({ name, identity }: Resource): Promise<void> {
    const { service, states, facts, settings, questions, log } = this.known;
    if (identity === undefined) return;
    // If the list can't be read, the quota check logs a warning.
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
    // Do not ask only for an empty stack: an update that this question stopped may have created some voices before.
    if ((own?.holders.length ?? 0) >= this.found.size) return;
    const about = { ...settings, origin: settings.voiceBaseUrl };
    const question = createQuestion([...this.found.values()], stackOfUrn(identity.urn), about);
    if (question && !(await questions.isAccepted(question)))
      log.warnOnce("voices by hand", `the update will fail: ${await questions.textOf(question)}`);
  }
}
