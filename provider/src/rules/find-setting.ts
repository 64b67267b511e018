import { nearestName } from "./nearest-name";

/*
 * Finds settings. Apart from settings.ts, because every program looks settings up at its start, and few need the
 * schema.
 */

export interface FoundSetting {
  value: string;
  /** The place that a person would change: `CLOUDVOICE_API_KEY` or `cloudvoice:apiKey`. */
  source: string;
}

/**
 * An API key in clear is in the stack's file, and so in every checkout. It is refused while the file can still be
 * corrected.
 */
export const keyInClear =
  "cloudvoice:apiKey is stored in the stack's configuration in clear. " +
  "Encrypt it with `pulumi config set --secret cloudvoice:apiKey`, and change the key if that file was ever shared.";

export function environmentName(name: string): string {
  return `CLOUDVOICE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Variables that only the environment can set, so that no file of a change can. */
const environmentOnly = ["accept", "maxBilled"];

/**
 * Looks in the environment first. Workaround: the engine hands `destroy` and `refresh` the stack configuration of the
 * last update.
 */
export function findSetting(
  name: string,
  environment: Record<string, string | undefined>,
  config: (key: string) => string | undefined,
): FoundSetting | undefined {
  const fromEnvironment = environment[environmentName(name)]?.trim();
  if (fromEnvironment) return { value: fromEnvironment, source: environmentName(name) };
  const fromConfig = config(`cloudvoice:${name}`)?.trim();
  return fromConfig ? { value: fromConfig, source: `cloudvoice:${name}` } : undefined;
}

/**
 * Names that look like settings and are none, each as a sentence: environment variables that begin with `CLOUDVOICE_`,
 * and keys of the configuration that begin with `cloudvoice:`.
 */
export function unknownSettings(given: readonly string[], names: readonly string[]): string[] {
  return given.flatMap((name) => {
    const [prefix = ""] = /^(CLOUDVOICE_|cloudvoice:)/.exec(name) ?? [];
    const rest = name.slice(prefix.length);
    const known = prefix === "CLOUDVOICE_" ? names.map((each) => environmentName(each).slice(prefix.length)) : names;
    // Kubernetes sets variables like CLOUDVOICE_PORT_443_TCP for a service with the name `cloudvoice`.
    const others = prefix === "CLOUDVOICE_" ? environmentOnly : [];
    const isKnown = others.some((each) => rest === environmentName(each).slice(prefix.length));
    if (prefix === "" || isKnown || known.includes(rest) || /^(SERVICE_HOST|SERVICE_PORT|PORT)(_|$)/.test(rest))
      return [];
    const nearest = nearestName(rest, known);
    const hint = nearest === undefined ? "docs/settings.md lists the settings" : `did you mean ${prefix}${nearest}?`;
    return `${name} is not a setting; ${hint}`;
  });
}
