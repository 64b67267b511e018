import * as pulumi from "@pulumi/pulumi";
import { findSetting, keyInClear, type SettingValue, unknownSettings } from "../rules/find-setting";
import type { SettingName } from "../rules/settings";
import { settingNames } from "../../generated/names";
import { isConfigSecret, oncePerProgram } from "./sdk";

export function findInProgram(name: SettingName): SettingValue | undefined {
  const config = new pulumi.Config("cloudvoice");
  return findSetting(name, process.env, (key) => config.get(key.slice("cloudvoice:".length)));
}

export function assertKeyIsSecret(): void {
  const config = new pulumi.Config("cloudvoice");
  if (config.get("apiKey") === undefined || isConfigSecret("cloudvoice:apiKey")) return;
  throw new pulumi.RunError(keyInClear);
}

/** Throws for misspelt settings. Workaround: the engine lets only the program list the stack's configuration. */
export const assertSettingsAreKnown = oncePerProgram(() => {
  // The keys of a project named `cloudvoice` are not checked, because its own configuration has the same prefix.
  const keys = pulumi.getProject() === "cloudvoice" ? [] : Object.keys(pulumi.runtime.allConfig());
  const problems = unknownSettings([...Object.keys(process.env), ...keys], settingNames);
  if (problems.length > 0) throw new pulumi.RunError(`settings: ${problems.join("; ")}`);
});
