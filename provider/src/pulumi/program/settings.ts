import * as pulumi from "@pulumi/pulumi";
import * as runtimeConfig from "@pulumi/pulumi/runtime/config";
import { findSetting, type FoundSetting, keyInClear, type SettingName } from "../../rules/settings";

/** Settings as the program sees them. */
export function findInProgram(name: SettingName): FoundSetting | undefined {
  const config = new pulumi.Config("cloudvoice");
  return findSetting(name, process.env, (key) => config.get(key.slice("cloudvoice:".length)));
}

// Exported by the SDK, and not in its types.
const { isConfigSecret } = runtimeConfig as unknown as { isConfigSecret: (key: string) => boolean };

export function checkSecretKey(): void {
  const config = new pulumi.Config("cloudvoice");
  if (config.get("apiKey") === undefined || isConfigSecret("cloudvoice:apiKey")) return;
  throw new pulumi.RunError(keyInClear);
}
