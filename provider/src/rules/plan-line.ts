import { createHash } from "node:crypto";
import * as z from "zod";
import { attempt } from "../describe-thrown";
import { visible } from "./visible";

/*
 * The provider's decisions that no step of a preview shows. While the variable `planVariable` is set, the provider
 * writes them as lines of JSON about a resource, and a review reads the lines. Only this file knows their form.
 *
 * A line has names, ids, counts and texts that are shown anyway. It never has the value of an input.
 */

/** The variable that makes a provider write its plan. A review sets it for its preview. */
export const planVariable = "CLOUDVOICE_PLAN";

export function isPlanning(environment: Record<string, string | undefined>): boolean {
  return !["", "0", "false"].includes((environment[planVariable] ?? "").trim().toLowerCase());
}

const planLine = z.strictObject({
  urn: z.string(),
  /** The existing voice or task that the create uses, so it costs nothing. */
  takes: z.string().optional(),
  /** Why the update will fail at this resource. */
  fails: z.string().optional(),
  /** The voice or the saved file that the state has, and that is missing. */
  gone: z.string().optional(),
  /** The question to a person that stops the update. */
  question: z
    .strictObject({
      id: z.string(),
      kind: z.string(),
      uncertain: z.string(),
      yes: z.string(),
      otherwise: z.string().optional(),
    })
    .optional(),
  gate: z
    .strictObject({
      /** What the answers must be, as text. */
      expects: z.string(),
      /** The kept answers, as text. Absent if the decision is asked in the update. */
      kept: z.string().optional(),
      opens: z.enum(["yes", "no", "at the update"]),
    })
    .optional(),
  /** `account`: an {@link accountId}. `now`: the voices that the account has, before the update. */
  quota: z.strictObject({ account: z.string(), now: z.int(), limit: z.int() }).optional(),
});
export type PlanLine = z.infer<typeof planLine>;
export type PlannedQuestion = NonNullable<PlanLine["question"]>;

/** Marks a problem of the quota, for which a review has an exit code. */
export const quotaCode = "(VoiceQuotaExceeded)";

/** The lines about one resource, added up: `check` and `diff` each know a part, and each may be called twice. */
export interface Plan extends Omit<PlanLine, "gone" | "question" | "urn"> {
  gone?: string[];
  questions: PlannedQuestion[];
}

const prefix = "cloudvoice-plan: ";

/** A short hash of an account's fingerprint, which a state has too, so that a review can tell two accounts apart. */
export function accountId(fingerprint: string): string {
  return createHash("sha256").update(fingerprint).digest("hex").slice(0, 8);
}

/**
 * Only printable ASCII, so that the line arrives as it was written. The engine removes marks such as `<{%reset%}>`, so
 * `<` is escaped too.
 */
export function planText(line: PlanLine): string {
  const shown = JSON.stringify(line, (key, value: unknown) =>
    typeof value === "string" && key !== "urn" ? visible(value) : value,
  );
  return prefix + shown.replace(/[^ -~]|</g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A line of a preview's output. The engine gives the lines of a provider no URN. */
interface OutputLine {
  urn?: string | undefined;
  message: string;
}

/**
 * Adds up the plan in the output of a preview. Lines with an empty `urn` are about the operation: a provider writes one
 * when it starts, so that a preview without resources has a plan too. Undefined if no provider wrote a plan.
 * `problems`: why it may not be the whole plan.
 */
export function planIn(
  lines: readonly OutputLine[],
): { plans: ReadonlyMap<string, Plan>; problems: string[] } | undefined {
  const plans = new Map<string, Plan>();
  const problems: string[] = [];
  for (const line of lines.filter(isOfPlan)) {
    const text = line.message.trim();
    const { data, error } = planLine.safeParse(attempt((): unknown => JSON.parse(text.slice(prefix.length))));
    if (data) plans.set(data.urn, withLine(plans.get(data.urn), data));
    else problems.push(`a line of the provider's plan can't be read: ${visible(z.prettifyError(error))}`);
  }
  return plans.size + problems.length === 0 ? undefined : { plans, problems };
}

export function isOfPlan({ urn, message }: OutputLine): boolean {
  return !urn && message.trimStart().startsWith(prefix);
}

function withLine(plan: Plan = { questions: [] }, { urn: _, gone, question, ...line }: PlanLine): Plan {
  const isNew = question !== undefined && plan.questions.every(({ id }) => id !== question.id);
  return {
    ...{ ...plan, ...line },
    ...(gone !== undefined && { gone: [...new Set([...(plan.gone ?? []), gone])] }),
    questions: isNew ? [...plan.questions, question] : plan.questions,
  };
}
