import { InputError } from "../../errors";
import { findSetting } from "../../rules/find-setting";
import { nameInUrn } from "../../rules/resource-types";
import { addressNames } from "../../rules/addresses";
import type { FindSetting, SettingName } from "../../rules/settings";
import { isDefaultProvider } from "../../voices/holder";
import type { Props } from "../provider/lifecycle";

/**
 * Finds a provider's settings. Workaround: the environment comes first, because `destroy` and `refresh` get the stack
 * configuration of the last update. But the arguments of a provider that the program declares come before the
 * environment: two such providers have two keys.
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
 * The key in the environment belongs to the addresses in the environment and in the stack's configuration. It is not
 * sent to another one, which a program, or another caller of the plugin, passes without a key.
 */
export function keyProblem(urn: string, args: Props): string | undefined {
  const given = addressNames.find((name) => args[name] !== undefined);
  if (isDefaultProvider(urn) || given === undefined || args.apiKey !== undefined) return undefined;
  return (
    `the provider ${nameInUrn(urn)} has the argument ${given} and no apiKey. Pass its apiKey too, ` +
    "because a key from the environment is not sent to an address that a program chooses"
  );
}

/** The names of everything that is set: variables of the environment, and arguments as keys of a configuration. */
export function namesGiven(urn: string, args: Props): string[] {
  // The own configuration of a project with the name `cloudvoice` has the same prefix.
  const isProjects = urn.split(":")[4] === "cloudvoice" && isDefaultProvider(urn);
  const names = isProjects ? [] : Object.keys(args).filter((name) => !ofTheEngine.test(name));
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
