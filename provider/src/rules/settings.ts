import { InputError } from "../errors";

/** The settings by their names in the stack's configuration; their names in the environment follow from these. */
export const settingNames = [
  "apiKey",
  "baseUrl",
  "voiceBaseUrl",
  "imageBaseUrl",
  "decisionBaseUrl",
  "allowHttp",
  "namespace",
  "voiceQuota",
  "quotaCheck",
  "extraTargetModels",
  "imagePollSeconds",
  "imageSubmitsPerSecond",
  "maxRunningImages",
  "requestTimeoutSeconds",
  "maxRetries",
  "maxConcurrency",
] as const;
export type SettingName = (typeof settingNames)[number];

const quotaChecks = ["error", "warn", "off"] as const;
export type QuotaCheck = (typeof quotaChecks)[number];

export interface Settings {
  apiKey?: string;
  voiceBaseUrl?: string;
  imageBaseUrl?: string;
  decisionBaseUrl?: string;
  namespace?: string;
  voiceQuota: number;
  quotaCheck: QuotaCheck;
  extraTargetModels: string[];
  imagePollMs: number;
  imageSubmitsPerSecond: number;
  /** Absent: as many as the service takes; it queues them itself. */
  maxRunningImages?: number;
  requestTimeoutMs: number;
  maxRetries: number;
  maxConcurrency: number;
}

export interface FoundSetting {
  value: string;
  /** What a person would change: `CLOUDVOICE_API_KEY` or `cloudvoice:apiKey`. */
  source: string;
}

/** A key in clear is in the stack's file, and so in everybody's checkout: refused where it can still be mended. */
export const keyInClear =
  "cloudvoice:apiKey stands in the stack's configuration in clear. Encrypt it with `pulumi config set --secret cloudvoice:apiKey`, " +
  "and change the key if that file was ever shared.";

export function environmentName(name: SettingName): string {
  return `CLOUDVOICE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The environment first: `destroy` and `refresh` are handed the stack config of the last update. */
export function findSetting(
  name: SettingName,
  environment: Record<string, string | undefined>,
  config: (key: string) => string | undefined,
): FoundSetting | undefined {
  const fromEnvironment = environment[environmentName(name)]?.trim();
  if (fromEnvironment) return { value: fromEnvironment, source: environmentName(name) };
  const fromConfig = config(`cloudvoice:${name}`)?.trim();
  return fromConfig ? { value: fromConfig, source: `cloudvoice:${name}` } : undefined;
}

const largestNumber = 1_000_000;

/** All settings, checked. Throws one error that names every fault. */
export function readSettings(find: (name: SettingName) => FoundSetting | undefined): Settings {
  const faults: string[] = [];

  function number(name: SettingName, fallback: number, lowest: number, whole: boolean): number {
    const found = find(name);
    if (!found) return fallback;
    const value = Number(found.value);
    const right = value >= lowest && value <= largestNumber && (!whole || Number.isInteger(value));
    if (!right)
      faults.push(
        `${found.source} is ${quote(found.value)}; it must be a ${whole ? "whole " : ""}number from ${lowest} to ${largestNumber}`,
      );
    return right ? value : fallback;
  }

  const allowHttp = flag("allowHttp");
  function flag(name: SettingName): boolean {
    const found = find(name);
    if (found && !["true", "false", "1", "0"].includes(found.value.toLowerCase())) {
      faults.push(`${found.source} is ${quote(found.value)}; it must be true or false`);
    }
    return found?.value.toLowerCase() === "true" || found?.value === "1";
  }

  function address(name: SettingName): string | undefined {
    const found = find(name) ?? find("baseUrl");
    if (!found) return undefined;
    const fault = addressFault(found.value, allowHttp);
    if (fault && !faults.includes(`${found.source} ${fault}`)) faults.push(`${found.source} ${fault}`);
    return found.value.replace(/\/+$/, "");
  }

  const quotaCheck = find("quotaCheck");
  if (quotaCheck && !isOneOf(quotaChecks, quotaCheck.value)) {
    faults.push(`${quotaCheck.source} is ${quote(quotaCheck.value)}; it must be one of ${quotaChecks.join(", ")}`);
  }
  const apiKey = find("apiKey");
  // A header can't carry it, and the library's own message would show it.
  if (apiKey && !/^[\x21-\x7e]+$/.test(apiKey.value))
    faults.push(`${apiKey.source} has characters that no key has (spaces, line ends, …)`);

  const settings = withoutUndefined({
    apiKey: apiKey?.value,
    voiceBaseUrl: address("voiceBaseUrl"),
    imageBaseUrl: address("imageBaseUrl"),
    decisionBaseUrl: address("decisionBaseUrl"),
    namespace: find("namespace")?.value,
    voiceQuota: number("voiceQuota", 1000, 0, true),
    quotaCheck: quotaCheck && isOneOf(quotaChecks, quotaCheck.value) ? quotaCheck.value : ("error" as const),
    extraTargetModels: (find("extraTargetModels")?.value ?? "")
      .split(",")
      .map((model) => model.trim())
      .filter(Boolean),
    imagePollMs: number("imagePollSeconds", 10, 0.01, false) * 1000,
    imageSubmitsPerSecond: number("imageSubmitsPerSecond", 2, 0.01, false),
    maxRunningImages: find("maxRunningImages") && number("maxRunningImages", 1, 1, true),
    requestTimeoutMs: number("requestTimeoutSeconds", 60, 0.01, false) * 1000,
    maxRetries: number("maxRetries", 5, 0, true),
    maxConcurrency: number("maxConcurrency", 16, 1, true),
  });
  if (faults.length > 0) throw new InputError(`settings: ${faults.join("; ")}`);
  return settings;
}

function addressFault(value: string, allowHttp: boolean): string | undefined {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !["http:", "https:"].includes(url.protocol)) return `is ${quote(value)}; it must be an http(s) address`;
  if (url.username || url.password || url.search || url.hash)
    return "must be a plain address, without credentials, query or fragment";
  const local = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !local && !allowHttp) {
    return `is ${quote(value)}: plain http would show the key to the network; use https, or set cloudvoice:allowHttp`;
  }
  return undefined;
}

export function isOneOf<T extends string>(allowed: readonly T[], value: unknown): value is T {
  return (allowed as readonly unknown[]).includes(value);
}

function quote(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never;
}
