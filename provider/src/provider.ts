/** What the texts in the state call (pulumi/provider-text.ts): these names never change. */
import { decisionLifecycle } from "./pulumi/decision-lifecycle";
import { dynamicProvider } from "./pulumi/dynamic-provider";
import { imageLifecycle } from "./pulumi/image-lifecycle";
import { configure } from "./pulumi/provider-process";
import { voiceLifecycle } from "./pulumi/voice-lifecycle";

export const cloudVoice = dynamicProvider(configure, voiceLifecycle);
export const generatedImage = dynamicProvider(configure, imageLifecycle);
export const decision = dynamicProvider(configure, decisionLifecycle);
