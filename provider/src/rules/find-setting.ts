import type { SettingName } from "./settings";

/*
 * Where a setting is found. Apart from settings.ts, because every program looks settings up as it starts, and few
 * need the schema.
 */

export interface FoundSetting {
  value: string;
  /** What a person would change: `CLOUDVOICE_API_KEY` or `cloudvoice:apiKey`. */
  source: string;
}

export type FindSetting = (name: SettingName) => FoundSetting | undefined;

/**
 * An API key in clear stands in the stack's file, and so in every checkout. It is refused while the file can still be
 * corrected.
 */
export const keyInClear =
  "cloudvoice:apiKey is stored in the stack's configuration in clear. " +
  "Encrypt it with `pulumi config set --secret cloudvoice:apiKey`, and change the key if that file was ever shared.";

export function environmentName(name: SettingName): string {
  return `CLOUDVOICE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/**
 * Looks in the environment first: the engine hands `destroy` and `refresh` the stack configuration of the last
 * update.
 */
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
