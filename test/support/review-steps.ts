import type { Preview, Step } from "../../provider/src/cli/review/preview";
import { reviewOf } from "../../provider/src/cli/review/review";
import { accountId, type Plan, planIn, type PlanLine, planText } from "../../provider/src/rules/plan-line";
import { readSettings } from "../../provider/src/rules/settings";

/** Steps of a preview as the engine reports them, what the provider planned, and their review. */

const types = { voice: "CloudVoice", image: "GeneratedImage", decision: "Decision" };
export type Kind = keyof typeof types;
export const targetModel = "svc3-tts-vc-2026-01-22";
export const urnOf = (name: string, kind: Kind = "voice") =>
  `urn:pulumi:dev::program::pulumi-nodejs:dynamic/cloudvoice:${types[kind]}::${name}`;

interface StepParts {
  kind?: Kind;
  id?: string;
  olds?: object;
  news?: object;
  outputs?: object;
  dependencies?: string[];
  parent?: string;
  propertyDependencies?: Record<string, string[]>;
  /** Fields of the old state, e.g. `retainOnDelete`. The engine creates a replacement first if it has `delete`. */
  old?: Partial<NonNullable<Step["oldState"]>>;
}

export function step(op: string, name: string, parts: StepParts = {}): Step {
  const { kind = "voice", id = `svc-${name}`, olds = {}, news = {}, outputs = {}, old = {}, ...links } = parts;
  const type = `pulumi-nodejs:dynamic/cloudvoice:${types[kind]}`;
  const oldState = { type, id, delete: false, inputs: { ...olds }, outputs: { ...outputs }, ...old };
  const newState = { type, delete: false, inputs: { ...news }, outputs: {}, ...links };
  return {
    op,
    urn: urnOf(name, kind),
    oldState: op === "create" || op === "import" ? null : oldState,
    newState: op === "delete" ? null : newState,
  };
}

/** The step of the stack in a refresh, by which a review recognises one. */
export const refreshedStack: Step = {
  op: "refresh",
  urn: "urn:pulumi:dev::program::pulumi:pulumi:Stack::program-dev",
  newState: { type: "pulumi:pulumi:Stack", delete: false, inputs: {}, outputs: {} },
};

export const fingerprint = "https://voices.example 0a1b2c";
const full = { account: accountId(fingerprint), now: 0, limit: 1000 };
/** The line that the provider writes about the quota for a voice to create. */
export const quotaLine = (name: string, quota: Partial<typeof full> = {}): PlanLine => ({
  ...{ urn: urnOf(name), quota: { ...full, ...quota } },
});

/** As a provider writes the lines, and a review reads them. */
export function plansOf(...lines: PlanLine[]): ReadonlyMap<string, Plan> {
  const { plans, problems } = planIn(lines.map((line) => ({ message: planText(line) }))) ?? {};
  expect(problems ?? []).toEqual([]);
  return plans ?? new Map<string, Plan>();
}

export const preview = (...steps: Step[]): Preview => ({
  ...{ steps, errors: [], messages: [], plans: new Map(), config: {}, whole: true },
});

type Parts = Omit<Partial<Parameters<typeof reviewOf>[0]>, "preview"> & { preview?: Partial<Preview> };

export function review(steps: Step[], { preview: found, ...parts }: Parts = {}, ...lines: PlanLine[]) {
  return reviewOf({
    ...readSettings(() => undefined),
    preview: { ...preview(...steps), plans: plansOf(...lines), ...found },
    nowMs: Date.parse("2026-11-21T12:00:00Z"),
    ...parts,
  });
}
