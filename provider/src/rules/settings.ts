import * as z from "zod";
import { attempt } from "../describe-thrown";
import { InputError } from "../errors";
import { addressesBesideEnvironment, addressesOfFile, addressNames } from "./addresses";
import { statedVoicePrice } from "./contract";
import { environmentName, type SettingValue, unknownSettings } from "./find-setting";
import { quoted } from "./inputs";
import { isThisMachine } from "./public-url";
import { checkStorage } from "./storage";

/** A path: names with dots between them. `*` stands for each entry of a list or a map. */
const path = z.string().regex(/^[^.=]+(\.[^.=]+)*$/, "must be names with dots between them, as data.items");

/** Names that `ignore` refuses, because such a field may report a failed call. */
const neverIgnored = /code|err|fail|fault|exception|problem|status|state|success|result|message|msg|^(ret|ok)$/i;

/** The setting `forms`: the paths of parts in the service's responses. */
export const formsSchema = z.strictObject({
  voices: path.optional(),
  voice: path.optional(),
  total: path.optional(),
  task: path.optional(),
  status: path.optional(),
  pictures: path.optional(),
  error: z
    .string()
    .regex(
      /^[^.=]+(\.[^.=]+)*(=.+)?$/,
      "must be names with dots between them, as base_resp.code, or with a value, as code=10000",
    )
    .optional(),
  ignore: z
    .array(z.string().refine((name) => !neverIgnored.test(name), "can't be a code, an error, a status or a message"))
    .optional(),
});

export type Forms = z.infer<typeof formsSchema>;

/** The descriptions of a setting in the docs and in the plugin's schema (tools/generate/settings.ts). */
export const settingTexts = z.registry<{ description: string; fallback?: string | undefined }>();
/** The types of settings that are not texts. */
export const settingTypes = z.registry<{ type: "boolean" | "integer" | "number"; least?: number }>();

/**
 * Declares a setting: its schema and its description, in sentences in Markdown. `fallback`: the value of an
 * absent setting whose schema has no default.
 */
function setting<Schema extends z.ZodType>(schema: Schema, description: string, fallback?: string): Schema {
  settingTexts.add(schema, { description, fallback });
  return schema;
}

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: ({ input }) => `is ${quoted(input)}; it must be one of ${values.join(", ")}` });
}

/** A text of this form. The error of any other text names the form. */
function textOfForm(form: string, isRight: (text: string) => boolean) {
  return z.string().refine(isRight, { error: ({ input }) => `is ${quoted(input)}; it must be ${form}` });
}

const largestNumber = 1_000_000;

function number({ from, whole = false }: { from: number; whole?: boolean }) {
  const isRight = (value: number) => value >= from && value <= largestNumber && (!whole || Number.isInteger(value));
  const form = `a ${whole ? "whole " : ""}number from ${from} to ${largestNumber}`;
  const schema = textOfForm(form, (text) => isRight(Number(text))).transform(Number);
  settingTypes.add(schema, { type: whole ? "integer" : "number", least: from });
  return schema;
}

const flag = textOfForm("true or false", (text) => /^(true|false|1|0)$/i.test(text)).transform((text) =>
  /true|1/i.test(text),
);
settingTypes.add(flag, { type: "boolean" });

/** An address with `http` or `https`. Whether plain `http` is allowed depends on `allowHttp`. */
const address = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    context.addIssue(`${text.includes("@") ? "" : `is ${quoted(text)}; it `}must be an http(s) address`);
  else if (url.username || url.password || url.search || url.hash)
    context.addIssue("must be a plain address, without credentials, query or fragment");
  return text.replace(/(?<!\/)\/+$/, "");
});

function readForms(text: string, context: z.core.$RefinementCtx<string>): Forms {
  const { data, error } = formsSchema.safeParse(attempt((): unknown => JSON.parse(text)));
  if (data) return data;
  for (const { path, code, message } of error.issues) {
    const unknown = code === "unrecognized_keys" ? ` (${message})` : "";
    context.addIssue(`must be a JSON object of paths${path.length === 0 ? unknown : `: ${path.join(".")} ${message}`}`);
  }
  return {};
}

/** Every setting, by its name in the stack's configuration. find-setting.ts derives its name in the environment. */
export const settingsSchema = z.object({
  apiKey: setting(
    // HTTP headers allow no other characters, and the error of the HTTP library would show the key.
    z
      .string()
      .regex(/^[\x21-\x7e]+$/, "has characters that no key has (spaces, line ends, …)")
      .optional(),
    "The API key. Store it as a secret.",
    "none; required when a call is made",
  ),
  baseUrl: setting(address.optional(), "The address of the service."),
  voiceBaseUrl: setting(address.optional(), "The address of the voice interface.", "`baseUrl`"),
  imageBaseUrl: setting(address.optional(), "The address of the image interface.", "`baseUrl`"),
  decisionBaseUrl: setting(address.optional(), "The address of the decision interface.", "`baseUrl`"),
  allowHttp: setting(flag.default(false), "Whether to allow plain `http` to another machine."),
  namespace: setting(
    z.string().optional(),
    "A part of generated names. Keeps apart two teams with the same project and stack names on one account.",
    "the organization's name",
  ),
  voiceQuota: setting(number({ from: 0, whole: true }).default(1000), "How many voices the account may hold."),
  quotaCheck: setting(
    oneOf(["error", "warn", "off"]).default("error"),
    "What a preview does if the update exceeds a quota: fail (`error`), warn (`warn`) or ignore it (`off`).",
  ),
  stackQuota: setting(number({ from: 0, whole: true }).optional(), "How many voices this stack may hold."),
  requireRights: setting(
    oneOf(["off", "warn", "error"]).default("off"),
    "What happens to a voice whose `rights` are missing or have expired: [`error`, `warn` or " +
      "`off`](rights.md#require-them).",
  ),
  voicePrice: setting(number({ from: 0 }).default(statedVoicePrice), "The price of a voice, for reviews."),
  imagePrice: setting(
    number({ from: 0 }).optional(),
    "The price of an image, for reviews. Without it, reviews count tasks.",
  ),
  decisionPricePerMillionTokens: setting(
    number({ from: 0 }).optional(),
    "The price of a million tokens of state and questions, for reviews. Without it, reviews count decisions.",
  ),
  currency: setting(
    z
      .string()
      .regex(/^[A-Z]{3}$/, "must be a code of three letters, as USD")
      .default("USD"),
    "The currency of the prices, as a code of three letters.",
  ),
  extraTargetModels: setting(
    z
      .string()
      .default("")
      .transform((names) =>
        names
          .split(",")
          .map((name) => name.trim())
          .filter(Boolean),
      ),
    "Target models newer than this package, separated by commas.",
    "none",
  ),
  imagePollSeconds: setting(number({ from: 0.01 }).default(10), "Seconds between two look-ups of an image task."),
  imageSubmitsPerSecond: setting(number({ from: 0.01 }).default(2), "How many image tasks are submitted per second."),
  requestTimeoutSeconds: setting(
    number({ from: 0.01 }).default(60),
    "Seconds until a call without a response fails. [An upload](paid-once.md#the-upload) gets more.",
  ),
  maxRetries: setting(number({ from: 0, whole: true }).default(5), "How many times a failed call is sent again."),
  settleSeconds: setting(
    number({ from: 0 }).default(60),
    "How many seconds late the service's list may be. Before a run pays again, it waits this long, and reads the list twice.",
  ),
  journal: setting(
    z.string().superRefine(checkStorage).optional(),
    "The folder or bucket (`s3://bucket/prefix?region=eu-central-1`) of the notes about billed requests. " +
      "[Where to keep it](paid-once.md#the-journal).",
    "`pulumi-cloudvoice/journal` in the XDG state folder",
  ),
  forms: setting(
    z.string().transform(readForms).optional(),
    "The paths of the parts in your service's responses, as a JSON object. Needed only if their form is not known. " +
      "`voices`: the list or map of voices. `voice`: the name inside a row. `total`, `task`, `status`, `pictures`. " +
      "`error`: a field that only failed responses have, or a field and its success value, as `code=10000`. " +
      "`ignore`: names of fields that mean nothing. A path is names with dots between them; `*` stands for each entry. " +
      "[An example](service.md#how-sure-a-reading-is).",
  ),
  maxConcurrency: setting(number({ from: 1, whole: true }).default(16), "How many calls are sent concurrently."),
  debug: setting(flag.default(false), "Whether to log one line for each call, without values."),
});

export type SettingName = keyof typeof settingsSchema.shape;
export const settingNames = Object.keys(settingsSchema.shape) as SettingName[];

export type FindSetting = (name: SettingName) => SettingValue | undefined;

/**
 * All settings, checked. Throws one error with every problem. `setNames`: the names that are set in the environment and
 * the configuration, where they can be listed. A name that looks like a setting, but is none, is a problem.
 */
export function readSettings(find: FindSetting, setNames?: readonly string[]): Settings {
  const problems = setNames ? unknownSettings(setNames, settingNames) : [];
  const values = Object.fromEntries(
    settingNames.map((name) => {
      const setting = find(name);
      const parsed = settingsSchema.shape[name].safeParse(setting?.value);
      if (!parsed.success)
        problems.push(...parsed.error.issues.map(({ message }) => `${setting?.source ?? name} ${message}`));
      return [name, parsed.data];
    }),
  ) as z.infer<typeof settingsSchema>;
  problems.push(...plainHttpProblems(find, values), ...addressesBesideEnvironment(find));
  if (problems.length > 0) throw new InputError(`settings: ${[...new Set(problems)].join("; ")}`);

  return settingsOf(values, find);
}

/** Why every update will fail: it needs settings that a preview does not. */
export function missingSettings({ apiKey, voiceBaseUrl, imageBaseUrl, decisionBaseUrl }: Partial<Settings>) {
  const hasAddress = (voiceBaseUrl ?? imageBaseUrl ?? decisionBaseUrl) !== undefined;
  const missing = [
    !hasAddress && {
      ...{ name: "baseUrl", what: "no address of the service" },
      command: "pulumi config set cloudvoice:baseUrl <address>",
    },
    apiKey === undefined && {
      ...{ name: "apiKey", what: "no API key" },
      command: "pulumi config set --secret cloudvoice:apiKey",
    },
  ].filter((each) => each !== false);
  if (missing.length === 0) return undefined;
  const joined = (parts: string[]) => parts.join(" and ");
  return (
    `${willFail}${joined(missing.map(({ what }) => what))} ${missing.length === 1 ? "is" : "are"} set. ` +
    `Run ${joined(missing.map(({ command }) => `\`${command}\``))}, ` +
    `or set ${joined(missing.map(({ name }) => environmentName(name)))}.`
  );
}

/** Begins the problem of an operation in its plan. A line that a program prints is not taken for one. */
export const willFail = "the update will fail: ";

/** How long one call may wait because the service responds "too many calls" (429). */
const maxThrottleMs = 900_000;

function settingsOf(values: z.infer<typeof settingsSchema>, find: FindSetting) {
  const { baseUrl, allowHttp: _, imagePollSeconds, requestTimeoutSeconds, ...others } = values;
  const { settleSeconds, ...rest } = others;
  return {
    ...rest,
    voiceBaseUrl: values.voiceBaseUrl ?? baseUrl,
    imageBaseUrl: values.imageBaseUrl ?? baseUrl,
    decisionBaseUrl: values.decisionBaseUrl ?? baseUrl,
    addressesOfFile: addressesOfFile(find),
    imagePollMs: imagePollSeconds * 1000,
    requestTimeoutMs: requestTimeoutSeconds * 1000,
    maxThrottleMs,
    settleMs: settleSeconds * 1000,
  };
}

export type Settings = ReturnType<typeof settingsOf>;

function plainHttpProblems(find: FindSetting, values: z.infer<typeof settingsSchema>): string[] {
  if (values.allowHttp) return [];
  return addressNames.flatMap((name) => {
    const [setting, address] = [find(name), values[name]];
    if (setting === undefined || address === undefined || isThisMachine(address)) return [];
    if (new URL(address).protocol !== "http:") return [];
    return (
      `${setting.source} is ${quoted(setting.value)}: plain http would show the key to the network; ` +
      "use https, or set cloudvoice:allowHttp"
    );
  });
}
