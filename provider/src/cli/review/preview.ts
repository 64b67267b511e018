import { stripVTControlCharacters } from "node:util";
import * as z from "zod";
import { attempt } from "../../describe-thrown";
import { InputError } from "../../errors";
import { isOfPlan, type Plan, planIn, planVariable } from "../../rules/plan-line";
import { withoutSignatures } from "../../rules/public-url";
import { resourceKind } from "../../rules/resource-types";
import { visible } from "../../rules/visible";

/* Reads the part of the output of `pulumi preview --json` that a review needs. */

const properties = z.record(z.string(), z.unknown()).default({});
const state = z.object({
  /** In an old state, the URN may have a former name: an alias renames the resource. */
  urn: z.string().optional(),
  type: z.string(),
  id: z.string().optional(),
  delete: z.boolean().default(false),
  retainOnDelete: z.boolean().optional(),
  /** The URN of another resource: when that is deleted, the engine drops this one without a call to the provider. */
  deletedWith: z.string().optional(),
  inputs: properties,
  outputs: properties,
  initErrors: z.array(z.string()).nullish(),
  parent: z.string().nullish(),
  dependencies: z.array(z.string()).nullish(),
  /** By input: the URNs of the resources whose outputs the input contains. */
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
});

/** A step of a preview. */
const step = z.object({
  op: z.string(),
  urn: z.string(),
  oldState: state.nullish(),
  newState: state.nullish(),
  replaceReasons: z.array(z.string()).nullish(),
});

export type Step = z.infer<typeof step>;

const diagnostic = z.object({ message: z.string(), severity: z.string(), urn: z.string().optional() });
const digest = z.object({
  steps: z.array(step).nullish(),
  diagnostics: z.array(diagnostic).nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
  config: z.record(z.string(), z.unknown()).nullish(),
  duration: z.number().nullish(),
});

export interface Preview {
  steps: Step[];
  /** Why the preview failed, or why its output is incomplete. Empty if the preview ended well. */
  errors: string[];
  messages: string[];
  /** What the provider has decided, by URN. */
  plans: ReadonlyMap<string, Plan>;
  /** The stack's configuration. The engine replaces secrets. */
  config: Readonly<Record<string, unknown>>;
  /** Whether every resource of the stack is among the steps, including unchanged resources. */
  whole: boolean;
}

/** Also reads what shells add to the output: lines of `npm run`, a byte order mark, the UTF-16 of PowerShell. */
export function parsePreview(bytes: Buffer, failure?: string): Preview {
  const isUtf16 = bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xfe]));
  const text = bytes.toString(isUtf16 ? "utf16le" : "utf8");
  if (/^\{"sequence":\d+,"timestamp":\d+,"\w+Event":/m.test(text)) throw new InputError(streamed);
  const read = digest.safeParse(jsonIn(text));
  if (!read.success) throw notAPreview(z.prettifyError(read.error).replace(/\s+/g, " "));

  const { diagnostics: lines = [], changeSummary } = read.data;
  const diagnostics = (lines ?? []).filter((line) => !isOfPlan(line));
  const plan = planIn(lines ?? []);
  const steps = read.data.steps ?? [];
  const isEmpty = !read.data.steps && !changeSummary && !lines?.length && failure === undefined;
  if (isEmpty && typeof read.data.duration !== "number") throw notAPreview("it has neither steps nor diagnostics");
  // The refresh of a stack without resources says how long it took, and nothing else.
  const engineErrors = isEmpty ? [] : errorsIn({ ...read.data, diagnostics }, failure);
  // The engine may start no provider for a resource that is no longer in the program.
  const isOurs = steps.some(
    ({ op, newState, oldState }) => op !== "delete" && resourceKind((newState ?? oldState)?.type ?? "") !== undefined,
  );
  const unplanned = plan === undefined && isOurs && engineErrors.length === 0 ? [withoutPlan] : [];
  const errors = [...engineErrors, ...(plan?.problems ?? []), ...unplanned];
  const sames = steps.filter(({ op }) => op === "same").length;
  const messages = diagnostics.map(({ message }) => oneLine(message));
  const reportedLines = new Set(["", ...errors]);
  return {
    steps,
    errors,
    messages: messages.filter((line) => !reportedLines.has(line)),
    plans: plan?.plans ?? new Map(),
    config: read.data.config ?? {},
    whole: errors.length === 0 && sames >= (changeSummary?.same ?? 0),
  };
}

const withoutPlan =
  "the preview has no plan of the provider, so this review does not know which existing voices are used, what is " +
  `asked and what will fail. Preview with \`${planVariable}=1 pulumi preview --json --show-sames > preview.json\``;

/** Returns the errors of a preview. Empty only if the preview ended well, and its output is complete and understood. */
function errorsIn(read: z.infer<typeof digest>, failure: string | undefined): string[] {
  const diagnostics = read.diagnostics ?? [];
  const linesOf = (entries: Diagnostic[]) =>
    entries.map(({ message }) => oneLine(message) || "the engine reported an error without a text");
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
      .replace(/^cloudvoice: (warning: )?/, "") // so that the dynamic provider's lines are those of the plugin
      .replace(/\s[~^]{2,}(?=\s)/g, "") // the marks with which Python underlines lines of a traceback
      .replace(/\s+/g, " ")
      .trim(),
  );
}
