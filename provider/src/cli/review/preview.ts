import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { InputError } from "../../errors";
import { visible } from "../../rules/visible";

/** Reads the part of the output of `pulumi preview --json` that a review needs. */

const fields = z.record(z.string(), z.unknown());
const state = z.object({
  type: z.string(),
  id: z.string().optional(),
  delete: z.boolean().optional(),
  retainOnDelete: z.boolean().optional(),
  inputs: fields.default({}),
  outputs: fields.default({}),
  parent: z.string().nullish(),
  dependencies: z.array(z.string()).nullish(),
  /** The URNs of the resources whose outputs an input takes. */
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullish()).nullish(),
});
const step = z.object({
  op: z.string(),
  urn: z.string(),
  oldState: state.nullish(),
  newState: state.nullish(),
  replaceReasons: z.array(z.string()).nullish(),
});
const digest = z.object({
  steps: z.array(step).nullish(),
  diagnostics: z.array(z.object({ message: z.string(), severity: z.string() })).nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});

export type Step = z.infer<typeof step>;

export interface Preview {
  steps: Step[];
  /** Why the preview failed; empty when it did not. */
  errors: string[];
  /** Warnings and other lines that the program and this package logged. */
  notes: string[];
  /** Whether every resource of the stack is among the steps, unchanged ones too. */
  whole: boolean;
}

/** Accepts what shells add to the JSON: the lines of `npm run`, a byte order mark, the UTF-16 of PowerShell. */
export function parsePreview(bytes: Buffer): Preview {
  const text = bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xfe]))
    ? bytes.toString("utf16le")
    : bytes.toString("utf8");
  if (/^\{"sequence":\d+,"timestamp":\d+,"\w+Event":/m.test(text)) throw new InputError(streamed);
  const read = digest.safeParse(jsonIn(text));
  if (!read.success) throw notAPreview(z.prettifyError(read.error).replace(/\s+/g, " "));

  const { steps, diagnostics, changeSummary } = read.data;
  if (!steps && !changeSummary && !diagnostics?.length) throw notAPreview("it has neither steps nor diagnostics");
  const messages = (severities: string[]) =>
    (diagnostics ?? []).filter(({ severity }) => severities.includes(severity)).map(({ message }) => oneLine(message));
  const errors = messages(["error"]);
  const sames = (steps ?? []).filter(({ op }) => op === "same").length;
  return {
    steps: steps ?? [],
    errors,
    notes: messages(["warning", "info", "info#err"]).filter((line) => line !== ""),
    whole: errors.length === 0 && sames >= (changeSummary?.same ?? 0),
  };
}

/**
 * The JSON object in a text that may have other lines around it.
 * It ends at the text's last brace, or at the last line that begins with a brace.
 */
function jsonIn(text: string): unknown {
  for (const end of [text.lastIndexOf("}") + 1, text.lastIndexOf("\n}") + 2]) {
    for (const { index } of text.slice(0, end).matchAll(/(?<=^\s*)\{/gm)) {
      try {
        return JSON.parse(text.slice(index, end));
      } catch {
        // This was not the object's first brace, or not its last one.
      }
    }
  }
  throw notAPreview("it contains no complete JSON object");
}

/** The events lack what the digest has: whether a replacement deletes the old resource first. */
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
    stripVTControlCharacters(message)
      .replace(/^error: /, "")
      .replace(/\s+/g, " ")
      .trim(),
  );
}
