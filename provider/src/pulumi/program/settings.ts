import * as pulumi from "@pulumi/pulumi";
import { type FoundSetting, findSetting, keyInClear } from "../../rules/find-setting";
import type { SettingName } from "../../rules/settings";
import { isSecretInConfig } from "./sdk";

/** A setting as the program sees it. */
export function findInProgram(name: SettingName): FoundSetting | undefined {
  const config = new pulumi.Config("cloudvoice");
  return findSetting(name, process.env, (key) => config.get(key.slice("cloudvoice:".length)));
}

export function assertKeyIsSecret(): void {
  const config = new pulumi.Config("cloudvoice");
  if (config.get("apiKey") === undefined || isSecretInConfig("cloudvoice:apiKey")) return;
  throw new pulumi.RunError(keyInClear);
}
