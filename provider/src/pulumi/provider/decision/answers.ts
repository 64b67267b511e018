import type { DecisionResult } from "../../../rules/decision";
import { type DecisionInputs, decisionInputs } from "../../../rules/decision-inputs";
import { replacingValues } from "../../../rules/inputs";
import { journalKey } from "../../../service/journal";
import { seal, unseal } from "../../../service/seal";
import type { Operation } from "../operation";

type Parts = Pick<Operation, "service" | "settings" | "journal" | "states" | "log">;

/**
 * Remembers answers. The service keeps none, and the engine saves them only when `create` ends. So the journal gets
 * them as soon as they come, encrypted with the API key, because answers may reveal secret questions.
 */
export class RememberedAnswers {
  constructor(private readonly parts: Parts) {}

  async beforeAsking(urn: string | undefined, inputs: DecisionInputs): Promise<void> {
    await this.parts.journal.write(this.keyOf(urn, inputs), { sentAtMs: this.parts.service.clock.now() });
  }

  async answered(urn: string | undefined, inputs: DecisionInputs, result: DecisionResult): Promise<void> {
    const { journal, service, settings } = this.parts;
    await journal.write(this.keyOf(urn, inputs), {
      sentAtMs: service.clock.now(),
      id: result.requestId,
      result: seal(JSON.stringify(result), settings.apiKey ?? ""),
    });
  }

  /** The answers that an earlier run noted for this resource, and that the state does not have. */
  async interrupted(urn: string | undefined, inputs: DecisionInputs): Promise<DecisionResult | undefined> {
    const { journal, states, settings, log } = this.parts;
    const note = await journal.awaitOutcome(this.keyOf(urn, inputs), settings.requestTimeoutMs, (leftMs) =>
      log.once(
        "interrupted decisions",
        "an earlier run was interrupted while it asked for decisions. Their answers are awaited for up to " +
          `${Math.ceil(leftMs / 1000)} s (requestTimeoutSeconds)`,
      ),
    );
    // The interrupted run got a response that showed that nothing was billed, and removed its note.
    if (note === undefined) return undefined;
    if (note.result === undefined) {
      log.line(
        "an earlier run was interrupted while it waited for a decision. The service keeps no answers, so the " +
          "questions are asked again, and the first call may have been billed",
      );
      return undefined;
    }
    // Answers that the state has were saved: this create is asked for on purpose, for example with --replace.
    if (note.id !== undefined && (await states.hasSaved(note.id))) return undefined;
    const text = unseal(note.result, settings.apiKey ?? "");
    if (text === undefined) return undefined;
    log.line("the answers that an earlier run noted are used, and not paid for again");
    return JSON.parse(text) as DecisionResult;
  }

  /** Nothing has to be remembered: the call was refused, or the state has the answers of this request. */
  async forget(urn: string | undefined, inputs: DecisionInputs, requestId?: string): Promise<void> {
    await this.parts.journal.forget(() => this.keyOf(urn, inputs), requestId);
  }

  private keyOf(urn: string | undefined, inputs: DecisionInputs): string {
    return journalKey(
      "decision",
      this.parts.service.decisionFingerprint(),
      urn,
      ...replacingValues(decisionInputs, inputs),
    );
  }
}
