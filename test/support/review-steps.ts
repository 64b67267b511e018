import { readSettings } from "../../provider/src/rules/settings";
import type { Preview, Step } from "../../provider/src/cli/review/preview";
import { reviewOf } from "../../provider/src/cli/review/review";
import type { VoiceHolder } from "../../provider/src/voices/holder";

/** Steps of a preview as the engine reports them, and their review. */

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
}

export function step(op: string, name: string, parts: StepParts = {}): Step {
  const { kind = "voice", id = `svc-${name}`, olds = {}, news = {}, outputs = {}, ...links } = parts;
  const type = `pulumi-nodejs:dynamic/cloudvoice:${types[kind]}`;
  const oldState = { type, id, inputs: { ...olds }, outputs: { ...outputs } };
  const newState = { type, inputs: { ...news }, outputs: {}, ...links };
  return {
    op,
    urn: urnOf(name, kind),
    oldState: op === "create" ? null : oldState,
    newState: op === "delete" ? null : newState,
  };
}

export const holder = (name: string, voice = `svc-${name}`, retained = false): VoiceHolder => ({
  ...{ stack: "organization/program/dev", urn: urnOf(name), savedUrn: urnOf(name), voice, isOld: false, retained },
});
export const preview = (...steps: Step[]): Preview => ({ steps, errors: [], notes: [], whole: true });
export const review = (steps: Step[], facts: Partial<Parameters<typeof reviewOf>[0]> = {}) =>
  reviewOf({
    ...readSettings(() => undefined),
    preview: preview(...steps),
    account: [],
    nowMs: Date.parse("2026-11-21T12:00:00Z"),
    ...facts,
  });
