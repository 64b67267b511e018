import { randomUUID } from "node:crypto";
import stableStringify from "safe-stable-stringify";
import { CloudVoiceError, InputError } from "../../../errors";
import type { Answers, DecisionResult, Expectations, Questions } from "../../../rules/decision";
import {
  closedGateLine,
  missingAnswers,
  unmetExpectations,
  type UnmetExpectation,
} from "../../../rules/decision-answers";
import {
  checkDecisionInputs,
  decisionInputs,
  type DecisionInputs,
  decisionWarnings,
} from "../../../rules/decision-inputs";
import { changedInputs, type CheckFailure, checkFailure, type InputProblem } from "../../../rules/inputs";
import { unknownValue } from "../../../rules/unknown";
import { ignoresEverything } from "../ignored-changes";
import { InitializationFailed, type Lifecycle, type Props } from "../lifecycle";
import type { ResourceIdentity } from "../../shared/identity";
import type { Operation } from "../operation";
import { RememberedAnswers } from "./answers";

/** Asked once, when the resource is created. The answers stay until the state, the questions or the triggers change. */
export function decisionLifecycle(operation: Operation): Lifecycle {
  const { service, states, secrets, log, assertEngineAlive } = operation;
  const answers = new RememberedAnswers(operation);
  /** The URNs of the program's decisions by their inputs: `create` and `diff` do not get the URN. */
  const urns = new Map<string, string>();
  const urnOf = (inputs: Props) => urns.get(stableStringify(inputs));

  return {
    check(olds, { identity, secretInputs, ...news }, unknown) {
      states.learnStack(identity);
      const inputs: Props = { ...news, ...unknownInputs(unknown) };
      // With everything ignored, the names of the secret inputs are missing too.
      secrets.declare(inputs, ignoresEverything(olds, identity, unknown) ? Object.keys(inputs) : secretInputs);
      urns.set(stableStringify(inputs), (identity as ResourceIdentity | undefined)?.urn ?? "");
      const problems = checkDecisionInputs(news, unknown);
      const isSecret = hasSecretInput(inputs);
      if (problems.length === 0 && !isSecret) for (const warning of decisionWarnings(news)) log.warn(warning);
      const failures = problems.map(isSecret ? failureOfSecret : checkFailure);
      return Promise.resolve({ inputs, failures });
    },

    async diff(id, olds, news, unknown) {
      // The state has the answers.
      await answers.forget(urnOf(news), olds as unknown as DecisionInputs, id);
      const replaces = changedInputs(decisionInputs, "replaces", olds, news, unknown);
      const changed = changedInputs(decisionInputs, "updates", olds, news, unknown).length > 0;
      // Report a diff while an expectation fails. Otherwise a refresh would let the pipeline continue.
      const fails = !unknown.has("expect") && unmet(olds.answers, news.expect).length > 0;
      if (fails && replaces.length === 0) warnOfClosedGate(olds.answers, { ...news, ...unknownInputs(unknown) });
      return { replaces, updates: changed || fails };
    },

    async create(props) {
      const inputs = props as unknown as DecisionInputs;
      const result =
        (await answers.interrupted(urnOf(props), inputs)) ?? (await ask(urnOf(props), inputs, hasSecretInput(props)));
      const outs = { ...props, ...result };
      const id = result.requestId || randomUUID();
      assertExpectationsMet(id, outs, props);
      return { id, outs };
    },

    update(id, olds, news) {
      const { answers, model, requestId, inputTokens, latencyMs } = olds;
      const outs = { ...news, answers, model, requestId, inputTokens, latencyMs };
      assertExpectationsMet(id, outs, news);
      return Promise.resolve({ outs });
    },

    /** The service keeps no answers. */
    read: (_id, props) => Promise.resolve(props),
    /** A decision that is declared again after this is a new one. */
    delete: (id) => operation.journal.forgetId(id),
    import: () =>
      Promise.reject(new InputError("a decision can't be imported: the service keeps no answers. Ask it again")),
  };

  async function ask(urn: string | undefined, inputs: DecisionInputs, secret: boolean): Promise<DecisionResult> {
    const beforeSend = async () => {
      await assertEngineAlive();
      await answers.beforeAsking(urn, inputs);
    };
    const result = await service.decisions
      .ask(inputs.state, inputs.questions, { secret, beforeSend })
      .catch(async (error: unknown) => {
        if (CloudVoiceError.is(error) && error.billed === "no") await answers.forget(urn, inputs);
        throw error;
      });
    await answers.answered(urn, inputs, result);
    return result;
  }

  /** At a preview, this is the only hint that the update will stop. */
  function warnOfClosedGate(kept: unknown, inputs: Props): void {
    const urn = urns.get(stableStringify(inputs));
    // A refresh calls `diff` without a `check`. It judges nothing, and does not know which inputs are secret.
    if (urn === undefined) return;
    log.warn(
      `${closedGateLine(urn.split("::").at(-1) ?? "")}: the kept answers do not meet the expectations: ` +
        `${describeUnmet(unmet(kept, inputs.expect), inputs)}. \`npx pulumi-cloudvoice review\` lists what waits behind it`,
    );
  }

  function describeUnmet(problems: UnmetExpectation[], inputs: Props): string {
    const names = secrets.of(inputs);
    // The names of questions and options are secret with the questions. A state alone makes the answers secret only.
    if (names.has("questions") || names.has("expect"))
      return `${problems.length} of them, which are not shown, because questions or expectations are secret`;
    return problems
      .map(
        ({ id, expected, received }) =>
          `${id}: expected ${expected}; ` +
          (derivesFromSecret(inputs) ? "the answer is secret" : `the answer is ${received}`),
      )
      .join("; ");
  }

  function hasSecretInput(inputs: Props): boolean {
    return derivesFromSecret(inputs) || secrets.of(inputs).size > 0;
  }

  /**
   * Fails if the answers are not what the program expects. They are saved with the resource, so a retry does not ask
   * again. The engine stores the text of the failure in the state, so it shows nothing that is secret.
   */
  function assertExpectationsMet(id: string, outs: Props, inputs: Props): void {
    const problems = [...unanswered(outs), ...unmet(outs.answers, outs.expect)];
    if (problems.length === 0) return;
    throw new InitializationFailed(
      id,
      outs,
      `the answers do not meet the expectations: ${describeUnmet(problems, inputs)} (request id ${id}). ` +
        "The answers are kept: another run judges the same ones, at no cost. " +
        "To ask again, change state, questions or triggers; to continue with these answers, change expect",
    );
  }
}

/** The engine would print the value of the property that a failure names, and what is allowed may be secret too. */
function failureOfSecret({ input }: InputProblem): CheckFailure {
  const reason = `${input} is invalid; the reason is not shown, because an input is secret`;
  return { property: "", reason };
}

/** The placeholders of inputs that are not known yet, as `check` puts them into its result. */
function unknownInputs(unknown: ReadonlySet<string>): Props {
  return Object.fromEntries([...unknown].map((name) => [name, unknownValue]));
}

/** Whether the program marked the answers as derived from a secret (program/secret-mark.ts). */
function derivesFromSecret(inputs: Props): boolean {
  return inputs.answers === "";
}

/** A question without an answer and without an expectation: the program's types promise that there is one. */
function unanswered({ answers, questions, expect }: Props): UnmetExpectation[] {
  return missingAnswers(answers as Answers, questions as Questions)
    .filter((id) => (expect as Expectations | undefined)?.[id] === undefined)
    .map((id) => ({ id, expected: "an answer", received: "missing in the service's response" }));
}

function unmet(answers: unknown, expect: unknown) {
  return unmetExpectations(answers as Answers, expect as Expectations | undefined);
}
