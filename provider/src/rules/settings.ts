import { z } from "zod";
import { InputError } from "../errors";
import { type FoundSetting, unknownSettings } from "./find-setting";
import { parseStorage } from "./storage";

/** The meaning of a setting, from which the docs are derived. */
export interface SettingMeaning {
  /** Full sentences in Markdown. */
  description: string;
  default: string;
}

const meanings = z.registry<SettingMeaning>();

function setting<Schema extends z.ZodType>(schema: Schema, meaning: SettingMeaning): Schema {
  meanings.add(schema, meaning);
  return schema;
}

const quotaChecks = ["error", "warn", "off"] as const;
const rightsChecks = ["off", "warn", "error"] as const;
export type QuotaCheck = (typeof quotaChecks)[number];
const takeOvers = ["recent", "always"] as const;
export type TakeOver = (typeof takeOvers)[number];
const acceptedMissing = ["some", "all"] as const;
export type AcceptMissing = (typeof acceptedMissing)[number];

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: ({ input }) => `is ${quote(String(input))}; it must be one of ${values.join(", ")}` });
}

const largestNumber = 1_000_000;

/** A number, written as text. */
function number({ from, whole = false }: { from: number; whole?: boolean }) {
  const required = `a ${whole ? "whole " : ""}number from ${from} to ${largestNumber}`;
  return z.string().transform((written, context) => {
    const value = Number(written);
    if (value >= from && value <= largestNumber && (!whole || Number.isInteger(value))) return value;
    context.addIssue(`is ${quote(written)}; it must be ${required}`);
    return z.NEVER;
  });
}

const flag = z.string().transform((written, context) => {
  const value = written.toLowerCase();
  if (!["true", "false", "1", "0"].includes(value)) {
    context.addIssue(`is ${quote(written)}; it must be true or false`);
  }
  return value === "true" || value === "1";
});

/** `http` or `https`, as text; whether plain `http` is allowed depends on `allowHttp`. */
const address = z.string().transform((written, context) => {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const problem =
    !url || !["http:", "https:"].includes(url.protocol)
      ? `is ${quote(written)}; it must be an http(s) address`
      : url.username || url.password || url.search || url.hash
        ? "must be a plain address, without credentials, query or fragment"
        : undefined;
  if (problem !== undefined) context.addIssue(problem);
  return written.replace(/\/+$/, "");
});

/** A folder or a bucket. */
const storage = z.string().superRefine((written, context) => {
  const parsed = parseStorage(written);
  if ("problem" in parsed) context.addIssue(parsed.problem);
});

/**
 * Every setting by its name in the stack's configuration. Its name in the environment follows from it
 * (find-setting.ts).
 */
const schema = z.object({
  apiKey: setting(
    // No HTTP header can carry other characters, and the error of the HTTP library would show the key.
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, "has characters that no key has (spaces, line ends, …)")
      .optional(),
    { description: "The API key. Store it as a secret.", default: "none; required when a call is made" },
  ),
  rotatedFrom: setting(z.string().optional(), {
    description:
      "Confirms that the key is a new one of the account with this fingerprint, which an error about another account " +
      "prints. Needed only if none of the voices that the state records for that account exists any more.",
    default: "none",
  }),
  baseUrl: setting(address.optional(), {
    description: "The address of the service, for each interface that has no address of its own.",
    default: "none",
  }),
  voiceBaseUrl: setting(address.optional(), {
    description: "The address of the voice interface.",
    default: "`baseUrl`",
  }),
  imageBaseUrl: setting(address.optional(), {
    description: "The address of the image interface.",
    default: "`baseUrl`",
  }),
  decisionBaseUrl: setting(address.optional(), {
    description: "The address of the decision interface.",
    default: "`baseUrl`",
  }),
  allowHttp: setting(flag.default(false), {
    description: "Whether to allow plain `http` to another machine, which shows the key to the network.",
    default: "`false`",
  }),
  namespace: setting(z.string().optional(), {
    description:
      "Keeps the generated names of two teams apart that use the same project and stack names on one account.",
    default: "the organization's name",
  }),
  voiceQuota: setting(number({ from: 0, whole: true }).default(1000), {
    description: "How many voices the account may hold.",
    default: "`1000`",
  }),
  quotaCheck: setting(oneOf(quotaChecks).default("error"), {
    description:
      "Whether an update that exceeds the quota fails at preview (`error`), only warns (`warn`) " +
      "or is not checked (`off`).",
    default: "`error`",
  }),
  stackQuota: setting(number({ from: 0, whole: true }).optional(), {
    description:
      "How many voices this stack may hold at any time, beside what the account may hold. " +
      "`quotaCheck` says what happens when an update exceeds it.",
    default: "none",
  }),
  takeOver: setting(oneOf(takeOvers).default("recent"), {
    description:
      "Which voice a create uses instead of paying for another, if the account has one under the resource's own " +
      "generated name and no resource holds it: one younger than a day (`recent`), or one of any age (`always`), " +
      "for example after the loss of a state.",
    default: "`recent`",
  }),
  acceptMissing: setting(oneOf(acceptedMissing).default("some"), {
    description:
      "Whether a refresh may find every voice of a stack missing, of three or more. With `some` it is an error and nothing " +
      "changes, because a wrong account or a wrong answer is more likely than a clean-up. With `all` they leave the state, " +
      "and the next update creates and pays for all of them again. A response without a recognised list then counts as an " +
      "empty account too.",
    default: "`some`",
  }),
  requireRights: setting(oneOf(rightsChecks).default("off"), {
    description:
      "Whether a voice needs `rights` that have not ended: without them a preview and an update fail (`error`), only " +
      "warn (`warn`), or go on (`off`, which still warns of rights that have ended). `destroy` and `refresh` never ask.",
    default: "`off`",
  }),
  voicePrice: setting(number({ from: 0 }).default(0.01), {
    description: "What the service charges for a created voice. A review counts with it.",
    default: "`0.01`",
  }),
  imagePrice: setting(number({ from: 0 }).optional(), {
    description: "What the service charges for an image. Without it a review counts image tasks, and charges nothing.",
    default: "none: the service states no price",
  }),
  decisionPricePerMillionTokens: setting(number({ from: 0 }).optional(), {
    description:
      "What the service charges for a million tokens of state and questions. A review estimates the tokens. Without it, " +
      "a review counts decisions, and charges nothing.",
    default: "none: the service states no price",
  }),
  currency: setting(
    z
      .string()
      .regex(/^[A-Z]{3}$/, "must be a code of three letters, as USD")
      .default("USD"),
    {
      description: "The currency of the prices, as a code of three letters. Only reviews show it.",
      default: "`USD`",
    },
  ),
  extraTargetModels: setting(
    z
      .string()
      .default("")
      .transform((written) =>
        written
          .split(",")
          .map((model) => model.trim())
          .filter(Boolean),
      ),
    { description: "Target models newer than this package, separated by commas.", default: "none" },
  ),
  imagePollSeconds: setting(number({ from: 0.01 }).default(10), {
    description: "Seconds between two look-ups of an image task.",
    default: "`10`",
  }),
  imageSubmitsPerSecond: setting(number({ from: 0.01 }).default(2), {
    description: "How many image tasks are submitted per second.",
    default: "`2`",
  }),
  maxRunningImages: setting(number({ from: 1, whole: true }).optional(), {
    description: "How many image tasks run concurrently.",
    default: "none: the service queues them",
  }),
  requestTimeoutSeconds: setting(number({ from: 0.01 }).default(60), {
    description: "Seconds until a call without a response fails.",
    default: "`60`",
  }),
  maxRetries: setting(number({ from: 0, whole: true }).default(5), {
    description: "How often a call that failed is sent again.",
    default: "`5`",
  }),
  settleSeconds: setting(number({ from: 0 }).default(60), {
    description:
      "Seconds to look for the result of a billed request whose outcome is unknown, before it is sent again. " +
      "The lists of cloud services are often a few seconds late.",
    default: "`60`",
  }),
  journal: setting(storage.optional(), {
    description:
      "The folder that keeps notes about billed requests, or a bucket, as `s3://bucket/prefix?region=eu-central-1`. " +
      "If this place outlives a run that is killed, the next run does not pay again for what the notes can identify: " +
      "[the conditions](paid-once.md). In a pipeline, use a bucket, or a folder that outlives the runner.",
    default: "`pulumi-cloudvoice/journal` in the XDG state folder",
  }),
  maxConcurrency: setting(number({ from: 1, whole: true }).default(16), {
    description: "How many calls are sent concurrently.",
    default: "`16`",
  }),
  maxThrottleSeconds: setting(number({ from: 0 }).default(900), {
    description:
      'How many seconds one call may wait because the service answers "too many calls" (429). ' +
      "The rate that the service allows is found and kept to.",
    default: "`900`",
  }),
  debug: setting(flag.default(false), {
    description:
      "Whether to log one line for each call: method, path, action, status, milliseconds, request id and the names of " +
      "the fields in the response, never a value.",
    default: "`false`",
  }),
});

type Schema = typeof schema.shape;
export type SettingName = keyof Schema;
export const settingNames = Object.keys(schema.shape) as SettingName[];

/** The type of a setting where it need not be written as text: in the plugin's schema. */
export function settingType(name: SettingName): "boolean" | "integer" | "number" | "string" {
  const parsed = (written: string) => schema.shape[name].safeParse(written);
  const { data } = parsed("1");
  if (typeof data === "boolean") return "boolean";
  if (typeof data !== "number") return "string";
  return parsed("1.5").success ? "number" : "integer";
}

/** Every setting with its meaning, for the docs. */
export function settingMeanings(): [name: SettingName, meaning: SettingMeaning][] {
  return settingNames.map((name) => {
    const meaning = meanings.get(schema.shape[name]);
    // Stryker disable next-line ConditionalExpression: every setting above is declared with `setting`.
    if (meaning === undefined) throw new Error(`The setting ${name} is declared without a meaning.`);
    return [name, meaning];
  });
}

/** Finds the value of a setting, wherever it is set. */
export type FindSetting = (name: SettingName) => FoundSetting | undefined;

/**
 * All settings, checked. Throws one error that names every problem. `given`: the names of everything that is set, in the
 * environment and in the configuration, where it can be listed; one that looks like a setting and is none is a problem.
 */
export function readSettings(find: FindSetting, given: readonly string[] = []): Settings {
  const problems = unknownSettings(given, settingNames);
  const values = Object.fromEntries(
    settingNames.map((name) => {
      const found = find(name);
      const parsed = schema.shape[name].safeParse(found?.value);
      if (!parsed.success)
        problems.push(...parsed.error.issues.map(({ message }) => `${found?.source ?? name} ${message}`));
      return [name, parsed.data];
    }),
  ) as z.infer<typeof schema>;
  problems.push(...plainHttpProblems(find, values));
  if (problems.length > 0) throw new InputError(`settings: ${[...new Set(problems)].join("; ")}`);

  return settingsOf(values);
}

/** The values as the code uses them: an address for each interface, and milliseconds. */
function settingsOf(values: z.infer<typeof schema>) {
  const { baseUrl, allowHttp: _, imagePollSeconds, requestTimeoutSeconds, ...others } = values;
  const { settleSeconds, maxThrottleSeconds, ...rest } = others;
  return withoutUndefined({
    ...rest,
    voiceBaseUrl: values.voiceBaseUrl ?? baseUrl,
    imageBaseUrl: values.imageBaseUrl ?? baseUrl,
    decisionBaseUrl: values.decisionBaseUrl ?? baseUrl,
    imagePollMs: imagePollSeconds * 1000,
    requestTimeoutMs: requestTimeoutSeconds * 1000,
    maxThrottleMs: maxThrottleSeconds * 1000,
    settleMs: settleSeconds * 1000,
  });
}

/** All settings. Those without a value are left out. */
export type Settings = ReturnType<typeof settingsOf>;

function plainHttpProblems(find: FindSetting, values: z.infer<typeof schema>): string[] {
  if (values.allowHttp) return [];
  return (["baseUrl", "voiceBaseUrl", "imageBaseUrl", "decisionBaseUrl"] as const).flatMap((name) => {
    const address = values[name];
    if (address === undefined) return [];
    const { protocol, hostname } = new URL(address);
    const isThisMachine = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
    if (protocol !== "http:" || isThisMachine) return [];
    const found = find(name);
    return [
      `${found?.source ?? name} is ${quote(found?.value ?? address)}: plain http would show the key to the network; ` +
        "use https, or set cloudvoice:allowHttp",
    ];
  });
}

function quote(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

type OptionalNames<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** An entry that may be undefined becomes one that may be absent. */
function withoutUndefined<T extends object>(
  value: T,
): Omit<T, OptionalNames<T>> & { [K in OptionalNames<T>]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never;
}
