/** What the texts in the state call (pulumi/provider-text.ts): these names never change. */
import { decisionLifecycle } from "./pulumi/provider/decision/lifecycle";
import { dynamicProvider } from "./pulumi/provider/adapter";
import { imageLifecycle } from "./pulumi/provider/image/lifecycle";
import { configure } from "./pulumi/provider/operation";
import { voiceLifecycle } from "./pulumi/provider/voice/lifecycle";

export const cloudVoice = dynamicProvider(configure, voiceLifecycle);
export const generatedImage = dynamicProvider(configure, imageLifecycle);
export const decision = dynamicProvider(configure, decisionLifecycle);
