import stableStringify from "safe-stable-stringify";
import * as z from "zod";
import { oncePer } from "../once";
import { asSeen, isRecord } from "./values";
import { code, unknownNameReason } from "./nearest-name";
import { visible } from "./visible";

type ChangeEffect = "replaces" | "updates";

/** The meaning of an input, besides its type. Checks, diffs, TypeScript interfaces and docs are derived from it. */
export interface InputMeaning {
  /** Full sentences in Markdown: what the input is, its unit and its allowed values. */
  description: string;
  change: ChangeEffect;
  /** The description for programs of the plugin, where TypeScript offers more. */
  pluginDescription?: string;
  /**
   * Whether two different values mean the same to a person. Then the state gets the new value at no cost. `state`: the
   * former state of the resource.
   */
  isAlike?: (old: unknown, fresh: unknown, state: object) => boolean;
  /** Describes a change in more detail than `change`. */
  changeDetail?: string;
  default?: string;
  /** A value that is right in TypeScript, YAML and Python. */
  example?: string;
  /** Whether the value may be secret. Then no check failure shows it. */
  hidden?: boolean;
  /** The TypeScript type of the value, where it is narrower than the schema shows. */
  type?: string;
  /** The TypeScript type for programs, where it is wider than the value in the state. */
  programType?: string;
  /** The type for programs of the plugin, where the schema allows more than the plugin's format. */
  pluginSchema?: z.ZodType;
}

export type InputsSchema = z.ZodObject;

/** The inputs as the provider gets them: an absent input has no key, so no value is `undefined`. */
export type InputsOf<Schema extends z.ZodType> = WithoutUndefined<z.infer<Schema>>;

type WithoutUndefined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

// Workaround: the types of zod's registries can't hold a meaning that contains a schema.
const meanings = new WeakMap<z.ZodType, InputMeaning>();
const owners = z.registry<{ resource: string; alsoPassed: readonly string[] }>();

/**
 * Declares the inputs of a resource. `alsoPassed`: the facts that a check adds to the inputs. With `ignoreChanges`, the
 * engine may pass these facts to a later check.
 */
export function declareInputs<Shape extends z.ZodRawShape>(
  resource: string,
  alsoPassed: readonly string[],
  shape: Shape,
): z.ZodObject<Shape> {
  const schema = z.object(shape);
  owners.add(schema, { resource, alsoPassed });
  return schema;
}

/** Declares an input whose change pays for a new resource. The description consists of sentences in Markdown. */
export function replaces<Schema extends z.ZodType>(schema: Schema, description: string, more: MoreMeaning = {}) {
  return input(schema, { ...more, description, change: "replaces" });
}

/** Declares an input whose change writes the state, at no cost. */
export function updates<Schema extends z.ZodType>(schema: Schema, description: string, more: MoreMeaning = {}) {
  return input(schema, { ...more, description, change: "updates" });
}

type MoreMeaning = Omit<InputMeaning, "description" | "change">;

function input<Schema extends z.ZodType>(schema: Schema, meaning: InputMeaning): Schema {
  if (meanings.has(schema)) throw new Error("This schema is the input of another resource already.");
  meanings.set(schema, meaning);
  return schema;
}

export const inputsIn = oncePer((schema: InputsSchema) =>
  Object.entries(schema.shape).map(([name, field]): { name: string; schema: z.ZodType; meaning: InputMeaning } => {
    const meaning = meanings.get(field as z.ZodType);
    if (meaning === undefined) throw new Error(`The input ${name} is declared without a meaning.`);
    return { name, schema: field as z.ZodType, meaning };
  }),
);

export interface InputProblem {
  /** The name of the input, e.g. `questions`. Empty if no input has the problem. */
  input: string;
  /** Where in the input the problem is, for example `questions["tone"].criteria`. */
  path: string;
  /** Why the value is invalid and what is allowed; it follows the path in a sentence. */
  reason: string;
  /** The value may be secret and must not be shown. */
  hidden: boolean;
}

/** A problem of a known input. Default of `path`: the name of the input. */
export type ContextProblem = Pick<InputProblem, "reason"> & Partial<Pick<InputProblem, "path" | "hidden">>;
type ContextProblems = string | ContextProblem[] | undefined;
/** Checks that need more than the value itself, by input. They run only for values that the schema accepts. */
type ContextChecks = Readonly<Record<string, (value: never) => ContextProblems>>;

/** Every problem of the inputs. Skips inputs whose value is not known yet, except for their names. */
export function checkInputs(
  schema: InputsSchema,
  inputs: object,
  unknown: ReadonlySet<string>,
  contextChecks: ContextChecks = {},
): InputProblem[] {
  const problems = inputsIn(schema).flatMap(({ name, schema: field, meaning }): InputProblem[] => {
    if (unknown.has(name)) return [];
    const value = valueIn(inputs, name) ?? undefined;
    // An absent or blank value reveals no secret.
    const hidden = meaning.hidden === true && value !== undefined && !isBlank(value);
    const problem = (reason: string, path = name) => ({ input: name, path, reason, hidden });
    if (value === undefined) return field.safeParse(undefined).success ? [] : [problem("is required")];

    const parsed = field.safeParse(value);
    if (!parsed.success) return parsed.error.issues.map(({ message, path }) => problem(message, name + pathText(path)));
    const check = contextChecks[name] as ((value: unknown) => ContextProblems) | undefined;
    const more = check?.(value) ?? [];
    return typeof more === "string" ? [problem(more)] : more.map((each) => ({ ...problem(each.reason), ...each }));
  });
  return [...unknownInputs(schema, inputs, unknown), ...problems];
}

export function acceptedNames(schema: InputsSchema): Set<string> {
  return new Set([...Object.keys(schema.shape), ...(owners.get(schema)?.alsoPassed ?? [])]);
}

/** Inputs that a JavaScript program has misspelt: without this check they would be ignored. */
function unknownInputs(schema: InputsSchema, inputs: object, unknown: ReadonlySet<string>): InputProblem[] {
  const names = Object.keys(schema.shape);
  const { resource = "this resource" } = owners.get(schema) ?? {};
  const accepted = acceptedNames(schema);
  const inputNames = Object.entries(inputs).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [name],
  );
  // The engine itself uses names that begin with `__`.
  const misspelt = [...inputNames, ...unknown].filter((name) => !accepted.has(name) && !name.startsWith("__"));
  return [...new Set(misspelt)].map((name) => {
    const reason = unknownNameReason(name, names, `an input of ${resource}`);
    // Workaround: the engine prints the value of the property that a failure names. This one may be a secret.
    return { input: "", path: code(name), reason, hidden: true };
  });
}

export interface CheckFailure {
  /** The name of the input. Empty if no input has the problem, or if the engine must not print the value. */
  property: string;
  reason: string;
}

/** A problem of the input, if there is a reason. With an empty name, the problem belongs to no input. */
export function problemsWith(input: string, reason: string | undefined): InputProblem[] {
  return reason === undefined ? [] : [{ input, path: input, reason, hidden: false }];
}

/**
 * Workaround: the engine prints the value of the property that a failure names. So the failure of a hidden value names
 * no property, and its reason begins with the path. For a secret input, the reason is withheld too.
 */
export function checkFailure({ input: name, path, reason, hidden }: InputProblem, secrets?: ReadonlySet<string>) {
  if (secrets?.has(name)) {
    return { property: "", reason: `${name} is invalid; the reason is not shown, because the input is secret` };
  }
  // A path or a reason may contain any text.
  const shown = (text: string) => visible(text.slice(0, longestReason));
  return hidden
    ? { property: "", reason: shown(`${path} ${reason}`) }
    : { property: shown(path), reason: shown(reason) };
}

const longestReason = 4000;

export function inputsThat(effect: ChangeEffect, schema: InputsSchema): string[] {
  return inputsIn(schema).flatMap(({ name, meaning }) => (meaning.change === effect ? [name] : []));
}

/**
 * The changed inputs whose change has this effect. An unknown input counts, because it may differ once it is known. A
 * change between values that are alike replaces nothing.
 */
export function changedInputs(
  schema: InputsSchema,
  effect: ChangeEffect,
  olds: object,
  news: object,
  unknown: ReadonlySet<string>,
): string[] {
  const changed = inputsIn(schema).filter(({ name, meaning: { change, isAlike } }) => {
    if (unknown.has(name)) return change === effect;
    const [old, fresh] = [valueIn(olds, name), valueIn(news, name)];
    if (isSame(old, fresh)) return false;
    if (!isAlike?.(old, fresh, olds)) return change === effect;
    // The values are alike. If a real change would replace the resource, an update writes the new value into the state.
    // If a real change is free, no update is needed.
    return change === "replaces" && effect === "updates";
  });
  return changed.map(({ name }) => name);
}

/** For inputs that are or contain texts. */
export const alikeTexts = { isAlike: (old: unknown, fresh: unknown) => isSame(asSeen(old), asSeen(fresh)) };

/** The values of all inputs whose change pays for a new resource. Resources with equal values have equal content. */
export function replacingValues(schema: InputsSchema, inputs: object): unknown[] {
  return inputsThat("replaces", schema).map((name) => valueIn(inputs, name));
}

function valueIn(inputs: object, name: string): unknown {
  return (inputs as Record<string, unknown>)[name];
}

/** An absent value, null and an empty list are the same. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || stableStringify(a ?? []) === stableStringify(b ?? []);
}

/** E.g. `["tone"].criteria`: a key that the user chose is quoted, and the name of a field is not. */
function pathText(path: PropertyKey[]): string {
  return path.map((key, index) => (index === 0 ? `[${JSON.stringify(key)}]` : `.${String(key)}`)).join("");
}

/** Returns a new schema for each resource, because the meaning of `triggers` differs between resources. */
export const triggers = () =>
  z
    .array(
      z.union([z.string(), z.number(), z.boolean()], "must be a text, a number or a boolean"),
      "must be a list of texts, numbers and booleans",
    )
    .optional();
export const triggersExample = "[2]";

/** An object with at least `least` entries. Workaround: `z.record` drops the key `__proto__`. */
export function recordOf<Schema extends z.ZodType>(entry: Schema, problem: string, least = 0) {
  const isRight = (value: unknown) => isRecord(value) && Object.keys(value).length >= least;
  return z.custom<Record<string, z.infer<Schema>>>(isRight, problem).superRefine((value, context) => {
    for (const [key, each] of Object.entries(value)) {
      for (const issue of entry.safeParse(each).error?.issues ?? [])
        context.addIssue({ ...issue, path: [key, ...issue.path] });
    }
  });
}

/** An object without unknown fields. `problem`: the error for a value that is no such object. */
export function strictObject<Shape extends z.ZodRawShape>(shape: Shape, what: string, problem?: string) {
  const unknown = (name: string) => `${code(name)} ${unknownNameReason(name, Object.keys(shape), what)}`;
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? issue.keys.map(unknown).join("; ") : problem),
  });
}

export const text = z.string("must be a text");
export const filledText = (problem: string, ifBlank = problem) =>
  z.string(problem).refine((value) => !isBlank(value), ifBlank);
export const flag = z.boolean("must be true or false");

export function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

/** A value as JSON for a message, of at most 60 characters. */
export function quoted(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}
