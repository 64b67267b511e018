import { InputError } from "../errors";
import { findSetting } from "../rules/find-setting";
import { isDefaultProvider, nameInUrn } from "../rules/resource-types";
import { addressNames } from "../rules/addresses";
import type { FindSetting, SettingName } from "../rules/settings";
import type { Props } from "../lifecycle/lifecycle";

/**
 * Finds a provider's settings. Workaround: the environment takes precedence over the stack's configuration, because
 * `destroy` and `refresh` get the configuration of the last update. The arguments of a provider that the program
 * declares take precedence over the environment, because each such provider can have its own key.
 */
export function findProviderSetting(urn: string, args: Props): FindSetting {
  return (name) => {
    const argument = () => settingText(name, args[name]);
    const value = isDefaultProvider(urn) ? undefined : argument();
    if (value !== undefined) return { value, source: `the provider's ${name}` };
    return findSetting(name, process.env, argument);
  };
}

/**
 * The problem of a provider that the program declares with an address and without a key. A key from the environment
 * belongs to the addresses in the environment and in the stack's configuration, and is not sent to any other address.
 */
export function keyProblem(urn: string, args: Props): string | undefined {
  const addressArgument = addressNames.find((name) => args[name] !== undefined);
  if (isDefaultProvider(urn) || addressArgument === undefined || args.apiKey !== undefined) return undefined;
  return (
    `the provider ${nameInUrn(urn)} has the argument ${addressArgument} and no apiKey. Pass its apiKey too, ` +
    "because a key from the environment is not sent to an address that a program chooses"
  );
}

/**
 * The names among which misspelt settings are found: environment variables, and the arguments as configuration keys.
 */
export function namesOfSettings(urn: string, args: Props): string[] {
  // The keys of a project named `cloudvoice` are not checked, because its own configuration has the same prefix.
  const isOwnConfiguration = urn.split(":")[4] === "cloudvoice" && isDefaultProvider(urn);
  const names = isOwnConfiguration ? [] : Object.keys(args).filter((name) => !ofTheEngine.test(name));
  return [...Object.keys(process.env), ...names.map((name) => `cloudvoice:${name}`)];
}

/** The arguments that the engine itself adds to a provider. */
const ofTheEngine = /^(version|pluginDownloadURL|pluginChecksums|__.*)$/;

function settingText(name: SettingName, value: unknown): string | undefined {
  const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (isScalar) return String(value).trim() || undefined;
  if ((value ?? undefined) === undefined) return undefined;
  throw new InputError(`cloudvoice:${name} must be a text, a number or a boolean`);
}
