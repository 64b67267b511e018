import { nearestName } from "./nearest-name";

/*
 * Finds settings without the schema of settings.ts: every program needs a few settings at its start, and few programs
 * need the schema.
 */

export interface SettingValue {
  value: string;
  /** The place that a person would change: `CLOUDVOICE_API_KEY` or `cloudvoice:apiKey`. */
  source: string;
}

/** The error for an unencrypted API key: it would be in the stack's file, and in every checkout. */
export const keyInClear =
  "cloudvoice:apiKey is stored in the stack's configuration in clear. " +
  "Encrypt it with `pulumi config set --secret cloudvoice:apiKey`, and change the key if that file was ever shared.";

export function environmentName(name: string): string {
  return `CLOUDVOICE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Settings that are read from the environment only, so that no file of a change can set them. */
const environmentOnly = ["accept", "maxBilled", "plan", "pendingCreates"];

/**
 * The environment takes precedence over the configuration. Workaround: in a `destroy` and a `refresh`, the engine
 * passes the configuration of the last update, which may be outdated.
 */
export function findSetting(
  name: string,
  environment: Record<string, string | undefined>,
  config: (key: string) => string | undefined,
): SettingValue | undefined {
  const fromEnvironment = environment[environmentName(name)]?.trim();
  if (fromEnvironment) return { value: fromEnvironment, source: environmentName(name) };
  const fromConfig = config(`cloudvoice:${name}`)?.trim();
  return fromConfig ? { value: fromConfig, source: `cloudvoice:${name}` } : undefined;
}

/** An error for each variable and each key of the configuration that looks like a setting and is none. */
export function unknownSettings(setNames: readonly string[], names: readonly string[]): string[] {
  return setNames.flatMap((name) => {
    const [, prefix, rest = ""] = /^(CLOUDVOICE_|cloudvoice:)(.*)/s.exec(name) ?? [];
    // Kubernetes sets variables like CLOUDVOICE_PORT_443_TCP for a service with the name `cloudvoice`.
    if (prefix === undefined || /^(SERVICE_HOST|SERVICE_PORT|PORT)(_|$)/.test(rest)) return [];
    const isVariable = prefix === "CLOUDVOICE_";
    const settings = isVariable ? names.map((each) => environmentName(each).slice(prefix.length)) : names;
    if (settings.includes(rest) || (isVariable && environmentOnly.some((each) => name === environmentName(each))))
      return [];
    const nearest = nearestName(rest, settings);
    const hint = nearest === undefined ? "docs/settings.md lists the settings" : `did you mean ${prefix}${nearest}?`;
    return `${name} is not a setting; ${hint}`;
  });
}
