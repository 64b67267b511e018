import { randomUUID } from "node:crypto";
import { InputError } from "../../errors";
import {
  checkAnswers,
  describeAnswers,
  describeExpectations,
  type UnmetExpectation,
  unmetExpectations,
} from "../../rules/decision-answers";
import {
  checkDecisionInputs,
  decisionInputs,
  type DecisionInputs,
  decisionOutputs,
  type DecisionResult,
  decisionWarnings,
} from "../../rules/decision-fields";
import { emulatorKeyPrefix } from "../../rules/addresses";
import { changedInputs, checkFailure } from "../../rules/inputs";
import { askAgainQuestion } from "../../rules/questions";
import type { PlanLine } from "../../rules/plan-line";
import type { Sending } from "../../service/billed-requests";
import { decisionModel } from "../../service/decisions/client";
import type { JournalNote } from "../../service/journal/note";
import { hiddenId } from "../../service/redact";
import { InitializationFailed, type Lifecycle, mayBeSecret, type Resource, withOutputsOf } from "../lifecycle";
import { BilledOnce, isUnreadId } from "../billed-once";
import type { Operation, Reading } from "../operation";

export type DecisionState = DecisionInputs & DecisionResult;

type Decisions = BilledOnce<DecisionInputs, { id: string; result: DecisionResult }>;

/**
 * The life cycle of a decision. Its questions are asked once, when the resource is created. The answers stay until the
 * inputs `state`, `questions` or `triggers` change.
 */
export function decisionLifecycle(operation: Operation): Lifecycle<DecisionInputs, DecisionState> {
  const { journal } = operation;
  const decisions: Decisions = new BilledOnce(operation, {
    kind: "decision",
    what: "decisions",
    send: (...call) => ask(operation, ...call),
    noted: ({ id, result }) => ({ id, result: JSON.stringify(result) }),
    resume: (...call) => resume(operation, ...call),
    unread: (_id, requestId) => ({ answers: {}, model: decisionModel, requestId }),
    keeps: "received",
    question: askAgainQuestion,
  });
  return {
    check(news, olds, resource, unknown) {
      // Without old inputs, this is a create or the second check of a replacement. Both ask the decision.
      if (olds === undefined) planGate(operation, news.expect, resource, { opens: "at the update" });
      return Promise.resolve(checkDecision(operation, news, resource, unknown));
    },
    diff: (...call) => diffDecision(operation, decisions, ...call),

    async create(inputs, resource) {
      const { id, result } = await decisions.result(inputs, resource);
      const state = { ...inputs, ...result };
      assertExpectationsMet(operation, id, state, resource);
      return { id, state };
    },

    update(id, olds, news, resource) {
      const state = withOutputsOf(decisionInputs, olds, news);
      if (isUnreadId(id)) return Promise.reject(decisions.unreadFailure(id, state, resource));
      return Promise.resolve(state).then(() => {
        assertExpectationsMet(operation, id, state, resource);
        return state;
      });
    },

    /** Returns the saved answers, because the service does not keep them. */
    read: (_id, state) => Promise.resolve(state),
    /** Removes the journal's note, so that a decision that is declared again later does not get the old answers. */
    delete: (id) => journal.forgetId(id),
    import: () =>
      Promise.reject(
        new InputError("a decision can't be imported: the service does not keep answers. Create a decision instead"),
      ),
  };
}

function checkDecision(
  { log }: Reading,
  news: Partial<DecisionInputs>,
  resource: Resource,
  unknown: ReadonlySet<string>,
) {
  const isSecret = mayBeSecret(resource);
  const problems = checkDecisionInputs(news, unknown, isSecret);
  if (problems.length === 0 && !isSecret)
    for (const warning of decisionWarnings(news)) log.warn(`${resource.name}: ${warning}`);
  return { inputs: news, failures: problems.map((problem) => checkFailure(problem)) };
}

/** Writes the decision's gate for a review, unless the decision expects nothing. */
function planGate(
  { plan }: Reading,
  expect: DecisionInputs["expect"],
  { secrets, ...resource }: Resource,
  gate: Omit<NonNullable<PlanLine["gate"]>, "expects">,
): void {
  if (expect === undefined || Object.keys(expect).length === 0) return;
  const isSecret = secrets === undefined || secrets.has("questions") || secrets.has("expect");
  const expects = isSecret ? "expectations that are secret" : describeExpectations(expect);
  plan.write(resource, { gate: { expects, ...gate } });
}

function shownAnswers({ answers }: DecisionState, { expect = {} }: DecisionInputs, { secrets }: Resource): string {
  if (secrets === undefined || secrets.has("answers") || secrets.has("questions")) return "answers that are secret";
  return describeAnswers(answers, Object.keys(expect));
}

async function diffDecision(
  operation: Operation,
  decisions: Decisions,
  id: string,
  olds: DecisionState,
  news: DecisionInputs,
  resource: Resource,
  unknown: ReadonlySet<string>,
) {
  const { checks, journal, log, plan } = operation;
  // The state has the answers, so the note is not needed any more.
  await journal.forgetId(id);
  const replaces = changedInputs(decisionInputs, "replaces", olds, news, unknown);
  if (replaces.length === 0 && isUnreadId(id)) {
    const isAskedAgain = decisions.mayPayAgain(decisions.question(id, news, resource), resource);
    return isAskedAgain ? { replaces: ["questions"], updates: false } : { replaces, updates: true };
  }
  const unmet = replaces.length > 0 ? [] : unmetExpectations(olds.answers, olds.questions, news.expect);
  // In a preview without a review, this warning is the only hint that the update will stop. A refresh, which calls
  // `diff` without `check`, judges no gates, and may not know which inputs are secret.
  if (unmet.length > 0 && checks.isDeclared(resource) && !plan.isOn)
    log.warn(
      `the update will stop at the decision ${resource.name}, and what depends on it will not be made: the kept ` +
        `answers do not meet the expectations: ${describeUnmet(unmet, resource)}. ` +
        "`npx --no-install pulumi-cloudvoice review` lists what waits behind it",
    );
  if (replaces.length === 0) {
    const answers = shownAnswers(olds, news, resource);
    planGate(operation, news.expect, resource, { kept: answers, opens: unmet.length > 0 ? "no" : "yes" });
  }
  const changed = changedInputs(decisionInputs, "updates", olds, news, unknown);
  // Workaround: after a refresh, the engine would create the resources that depend on this gate. So report an update
  // while an expectation is not met.
  return { replaces, updates: changed.length > 0 || unmet.length > 0 };
}

async function ask({ service }: Operation, { state, questions }: DecisionInputs, resource: Resource, sending: Sending) {
  const result = await service.decisions.ask(state, questions, { secret: mayBeSecret(resource), sending });
  // A service may give no request id, and hidden ids are all the same text.
  return { id: ["", hiddenId].includes(result.requestId) ? randomUUID() : result.requestId, result };
}

function resume(
  { log }: Reading,
  { id, result }: JournalNote & { id: string },
  inputs: DecisionInputs,
  { name }: Resource,
) {
  const decisionResult = result === undefined ? undefined : resultIn(result, inputs);
  if (decisionResult === undefined) return Promise.resolve("unread" as const);
  log.line(`${name}: reusing the answers of an interrupted attempt; no new charge`);
  return Promise.resolve({ id, result: decisionResult });
}

/** The engine saves the answers, so the next run does not ask again. It also saves the error, which has no secrets. */
function assertExpectationsMet({ settings }: Reading, id: string, state: DecisionState, resource: Resource): void {
  const problems = unmetExpectations(state.answers, state.questions, state.expect);
  if (problems.length === 0) return;
  throw new InitializationFailed(
    id,
    state,
    `the answers do not meet the expectations: ${describeUnmet(problems, resource)} (request id ${id}). ` +
      "The answers are kept: the next run judges the same answers, at no cost. " +
      "Outputs that Pulumi now prints with a minus keep their values. " +
      "To ask again, change the input state, questions or triggers; to accept these answers, change expect" +
      (settings.apiKey?.startsWith(emulatorKeyPrefix) === true ? `. ${emulatorAnswered}` : ""),
  );
}

const emulatorAnswered =
  "The emulator answered, not the service. When asked, it takes an answer from `<question>=<answer>` in the text, " +
  "else from `dev --answer <question>=<answer> -- <command>` or, in a test, `startEmulator({ answers })`";

/** The answers in a note. Undefined if they do not fit the questions. */
function resultIn(text: string, { questions }: DecisionInputs): DecisionResult | undefined {
  const { data } = decisionOutputs.safeParse(JSON.parse(text));
  return data && checkAnswers(data.answers, questions).problems.length === 0 ? (data as DecisionResult) : undefined;
}

function describeUnmet(problems: UnmetExpectation[], { secrets }: Resource): string {
  // If the questions are secret, so are the names of questions and options. A secret input `state` makes only the
  // answers secret.
  if (secrets === undefined || secrets.has("questions") || secrets.has("expect"))
    return `${problems.length} unmet, not shown because questions or expectations are secret`;
  return problems
    .map(
      ({ id, expected, received }) =>
        `${id}: expected ${expected}; ` +
        (secrets.has("answers") ? "the answer is secret" : `the answer is ${received}`),
    )
    .join("; ");
}
