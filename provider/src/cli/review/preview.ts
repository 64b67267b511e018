import { stripVTControlCharacters } from "node:util";
import * as z from "zod";
import { attempt } from "../../attempt";
import { InputError } from "../../errors";
import { firstOf } from "../../rules/first-of";
import { nameInUrn } from "../../rules/resource-types";
import { splitUnknown } from "../../rules/unknown";
import { withoutSignatures } from "../../rules/public-url";
import { visible } from "../../rules/visible";
import { hiddenEntries, isSetStep, voicesOfStep } from "./sets";
import { type Step, step } from "./step";

/* Reads the part of the output of `pulumi preview --json` that a review needs. */

const diagnostic = z.object({ message: z.string(), severity: z.string() });
const digest = z.object({
  steps: z.array(step).nullish(),
  diagnostics: z.array(diagnostic).nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});

export type { Step } from "./step";

export interface Preview {
  steps: Step[];
  /** Why the preview failed, or why its output is incomplete. Empty if the preview ended well. */
  errors: string[];
  notes: string[];
  /** Whether every resource of the stack is among the steps, including unchanged resources. */
  whole: boolean;
  /**
   * The URNs of the sets that the update changes. `steps` has a step for each voice of these sets instead. Not the sets
   * that the engine updates only because an entry failed in the last update: the program no longer wants this entry.
   */
  updatedSets?: string[];
  /** The sets that the update creates. `keepsRemoved`: voices that leave such a set stay in the account. */
  createdSets?: { urn: string; keepsRemoved: boolean }[];
}

/** Also reads what shells add to the output: lines of `npm run`, a byte order mark, the UTF-16 of PowerShell. */
export function parsePreview(bytes: Buffer, failure?: string): Preview {
  const isUtf16 = bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xfe]));
  const text = bytes.toString(isUtf16 ? "utf16le" : "utf8");
  if (/^\{"sequence":\d+,"timestamp":\d+,"\w+Event":/m.test(text)) throw new InputError(streamed);
  const read = digest.safeParse(jsonIn(text));
  if (!read.success) throw notAPreview(z.prettifyError(read.error).replace(/\s+/g, " "));

  const { diagnostics, changeSummary } = read.data;
  const steps = read.data.steps ?? [];
  if (!read.data.steps && !changeSummary && !diagnostics?.length && failure === undefined)
    throw notAPreview("it has neither steps nor diagnostics");
  const errors = [...errorsIn(read.data, failure), ...hiddenEntries(steps)];
  const sames = steps.filter(({ op }) => op === "same").length;
  const notes = (diagnostics ?? []).map(({ message }) => oneLine(message));
  const reportedLines = new Set(["", ...errors]);
  return {
    steps: steps.flatMap(voicesOfStep),
    errors,
    notes: [...notes.filter((line) => !reportedLines.has(line)), ...setDependents(steps)],
    whole: errors.length === 0 && sames >= (changeSummary?.same ?? 0),
    updatedSets: updatedSetsIn(steps)
      .filter((step) => !onlyFailedBefore(step))
      .map(({ urn }) => urn),
    createdSets: steps
      .filter((step) => ["create", "replace"].includes(step.op) && isSetStep(step))
      // A replaced set deletes all its voices that the new set does not take, whatever its inputs are.
      .map(({ op, urn, newState }) => ({
        urn,
        keepsRemoved: op === "create" && newState?.inputs.keepRemoved === true,
      })),
  };
}

function onlyFailedBefore({ oldState, detailedDiff }: Step): boolean {
  return (oldState?.initErrors ?? []).length > 0 && Object.keys(detailedDiff ?? {}).length === 0;
}

function updatedSetsIn(steps: readonly Step[]): Step[] {
  return steps.filter((step) => step.op === "update" && isSetStep(step));
}

/** Returns the errors of a preview. Empty only if the preview ended well, and its output is complete and understood. */
function errorsIn(read: z.infer<typeof digest>, failure: string | undefined): string[] {
  const diagnostics = read.diagnostics ?? [];
  const linesOf = (found: Diagnostic[]) =>
    found.map(({ message }) => oneLine(message) || "the engine reported an error without a text");
  const errors = linesOf(diagnostics.filter(({ severity }) => !harmless.includes(severity)));
  if (errors.length > 0) return errors;
  // Workaround: Pulumi YAML reports mistakes in a program only as lines on its error output. These lines count as
  // errors if the preview failed, or if a line begins with "error": a correct program may print there too.
  const printed = diagnostics.filter(({ severity, message }) => severity === "info#err" && oneLine(message));
  const isError = ({ message }: Diagnostic) => /^error\b/i.test(stripVTControlCharacters(message));
  if (printed.length > 0 && (failure !== undefined || printed.some(isError))) return linesOf(printed);
  if (failure !== undefined) return [oneLine(failure)];
  return missingIn(read);
}

/** Returns errors for steps that the summary counts and the output lacks, and for steps of unknown kinds. */
function missingIn({ steps, changeSummary }: z.infer<typeof digest>): string[] {
  if (!changeSummary) return ["the preview did not end: its output has no summary of its changes"];
  const operations = (steps ?? []).map(({ op }) => op);
  const unknown = [...new Set(operations.filter((op) => !knownOperations.includes(op)))];
  const few = ["create", "update", "replace", "delete"].flatMap((op) => {
    const [counted, listed] = [changeSummary[op] ?? 0, operations.filter((each) => each === op).length];
    return listed < counted ? [`the preview counts ${counted} resources to ${op}, and lists ${listed}`] : [];
  });
  return [...unknown.map((op) => `the preview has a step of an unknown kind: ${visible(op)}`), ...few];
}

type Diagnostic = z.infer<typeof diagnostic>;

const harmless = ["debug", "info", "info#err", "warning"];

/** Workaround: the engine's operations (pkg/resource/deploy/step.go, 3.259). The SDK has only types for them. */
const knownOperations = [
  ...["same", "create", "update", "delete", "replace", "create-replacement", "delete-replaced", "read"],
  ...["read-replacement", "refresh", "discard", "discard-replaced", "remove-pending-replace", "import"],
  ...["import-replacement", "diff"],
];

/** The most lines to try as the start of the JSON object. Each attempt parses the whole text. */
const mostBeginnings = 100;

/** The JSON object in a text: up to the last brace, or up to the last line that begins with a brace. */
function jsonIn(text: string): unknown {
  for (const end of [text.lastIndexOf("}") + 1, text.lastIndexOf("\n}") + 2]) {
    let tried = 0;
    for (const { index } of text.slice(0, end).matchAll(/^\ufeff?\{/gm)) {
      if (tried++ >= mostBeginnings) break;
      const json = attempt((): unknown => JSON.parse(text.slice(index, end).replace(/^\ufeff/, "")));
      // Undefined if the text between these braces is not the whole object.
      if (json !== undefined) return json;
    }
  }
  throw notAPreview("it contains no complete JSON object");
}

/** The error for a stream of events, which does not show whether a replacement deletes the old resource first. */
const streamed =
  "The preview cannot be read: it is a stream of events, because PULUMI_ENABLE_STREAMING_JSON_PREVIEW is set. " +
  "Run `PULUMI_ENABLE_STREAMING_JSON_PREVIEW=false pulumi preview --json --show-sames`.";

function notAPreview(why: string): InputError {
  return new InputError(
    `The preview cannot be read: ${why}. Give the whole output of \`pulumi preview --json --show-sames\`.`,
  );
}

function oneLine(message: string): string {
  return visible(
    withoutSignatures(stripVTControlCharacters(message))
      .replace(/^error: /, "")
      .replace(/\s[~^]{2,}(?=\s)/g, "") // the marks with which Python underlines lines of a traceback
      .replace(/\s+/g, " ")
      .trim(),
  );
}

/** Names resources that may only look changed: a preview does not run `apply` on a value with an unknown part. */
export function setDependents(steps: readonly Step[]): string[] {
  return updatedSetsIn(steps).flatMap(({ urn }) => {
    const names = steps.filter((step) => isChangedBy(urn, step)).map((step) => visible(nameInUrn(step.urn)));
    return names.length === 0 ? [] : [dependentsLine(visible(nameInUrn(urn)), names)];
  });
}

function isChangedBy(set: string, { op, newState }: Step): boolean {
  if (op !== "update" && op !== "replace") return false;
  const { inputs = {}, propertyDependencies } = newState ?? {};
  return [...splitUnknown(inputs).unknown].some((input) => (propertyDependencies?.[input] ?? []).includes(set));
}

function dependentsLine(set: string, names: readonly string[]): string {
  return (
    `${firstOf(names)} may not really change: the program reads all voices of ${set} at once (apply, all, toJSON), and ` +
    "if one voice changes, a preview does not know the value of them all. " +
    `An input that takes one voice, such as \`voices.guide.voice\` of ${set}, is shown as changed only if that voice ` +
    "changes. In YAML and Go, such an input is shown as changed if any voice changes, and the highest charge includes it"
  );
}
