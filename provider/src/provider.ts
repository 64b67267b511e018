/**
 * What the provider texts in state files load (pulumi/shared/provider-text.ts): the names of this module's exports
 * never change.
 */
import { once } from "./once";
import { type Config, dynamicProvider } from "./pulumi/provider/adapter";
import { damagedStates, outageReports, storedKeyHints } from "./pulumi/provider/amended-errors";
import { decisionLifecycle } from "./pulumi/provider/decision/lifecycle";
import { dropErrorsPrintedByEngine } from "./pulumi/provider/host";
import { gateKeeper } from "./pulumi/provider/gates";
import { imageLifecycle } from "./pulumi/provider/image/lifecycle";
import type { AnyLifecycle } from "./pulumi/provider/lifecycle";
import { startOperation } from "./pulumi/provider/operation";
import { voiceLifecycle } from "./pulumi/provider/voice/lifecycle";
import type { ResourceKind } from "./rules/resource-types";
import { resources } from "./rules/resources";
import { findSetting } from "./rules/find-setting";
import { readSettings } from "./rules/settings";

dropErrorsPrintedByEngine();

/**
 * The three kinds of resources are configured one by one, always with the same configuration, and share one
 * operation.
 */
const operation = once((config: Config) =>
  startOperation(readSettings((name) => findSetting(name, process.env, config), Object.keys(process.env))),
);

const explainStoredKey = storedKeyHints();
const reportOutageOnce = outageReports();
const keepGates = gateKeeper();
const explained = (kind: ResourceKind, lifecycle: AnyLifecycle) =>
  damagedStates(resources[kind])(keepGates(kind, reportOutageOnce(explainStoredKey(lifecycle))));

export const cloudVoice = dynamicProvider((config) => explained("voice", voiceLifecycle(operation(config))));
export const generatedImage = dynamicProvider((config) => explained("image", imageLifecycle(operation(config))));
export const decision = dynamicProvider((config) => explained("decision", decisionLifecycle(operation(config))));
