import { randomUUID } from "node:crypto";
import {
  type Answers,
  decisionFields,
  type DecisionInputs,
  type Expectations,
  unmetExpectations,
} from "../../../rules/decision";
import { changedFields, type Failure, failuresOf } from "../../../rules/fields";
import { type Lifecycle, InitializationFailed, type Props } from "../adapter";
import { providerProcess } from "../operation";
import { unknownValue } from "../../../rules/unknown";

/** Asked once, at create; the answers stay until state, questions or triggers change. */
export const decisionLifecycle: Lifecycle = {
  check(_olds, news, unknown) {
    const inputs: Props = { ...news };
    for (const field of unknown) inputs[field] = unknownValue;
    const failures = failuresOf(decisionFields, news, unknown, { questions: news.questions });
    return Promise.resolve({ inputs, failures: isMarkedSecret(news) ? failures.map(withoutSecret) : failures });
  },

  diff(_id, olds, news, unknown) {
    const replaces = changedFields(decisionFields, "replaces", olds, news, unknown);
    const expectChanged = changedFields(decisionFields, "updates", olds, news, unknown).length > 0;
    // A gate that is closed is an update until it opens: a refresh in between would otherwise let the pipeline pass.
    const closed =
      !unknown.has("expect") &&
      unmetExpectations(olds.answers as Answers, news.expect as Expectations | undefined).length > 0;
    return Promise.resolve({ replaces, updates: expectChanged || closed });
  },

  async create(props) {
    const { state, questions } = props as unknown as DecisionInputs;
    const result = await providerProcess().service.decisions.ask(state, questions);
    const outs = { ...props, ...result };
    const id = result.requestId || randomUUID();
    judge(id, outs, isMarkedSecret(props));
    return { id, outs };
  },

  update(id, olds, news) {
    const { answers, model, requestId, inputTokens, latencyMs } = olds;
    const outs = { ...news, answers, model, requestId, inputTokens, latencyMs };
    judge(id, outs, isMarkedSecret(news));
    return Promise.resolve({ outs });
  },

  read: (_id, props) => Promise.resolve(props),
  delete: () => Promise.resolve(),
};

/** The engine shows the value of the property that a failure names, and what is allowed may be secret too. */
function withoutSecret({ property, reason }: Failure): Failure {
  const [field = ""] = /^\w*/.exec(property || reason) ?? [];
  return {
    property: "",
    reason: `${field} is not right; what is wrong is not shown, because it is derived from a secret`,
  };
}

/** Whether the program marked the answers as derived from a secret (secret-mark.ts). */
function isMarkedSecret(inputs: Props): boolean {
  return inputs.answers === "";
}

/** Throws when the answers are not what the program expects; they are kept with the resource, so no retry rolls again. */
function judge(id: string, outs: Props, secret: boolean): void {
  const unmet = unmetExpectations(outs.answers as Answers, outs.expect as Expectations | undefined);
  if (unmet.length === 0) return;
  const shown = secret ? unmet.map((line) => line.replace(/; came .*/s, "; the answer is secret")) : unmet;
  throw new InitializationFailed(
    id,
    outs,
    `the gate is closed: ${shown.join("; ")} (request id ${id}). The answers are kept: another run judges the same ones, at no cost. ` +
      "To ask anew, change state, questions or triggers; to let this pass, change expect",
  );
}
