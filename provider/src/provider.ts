/** What the text in the state calls (pulumi/provider-text.ts): these names never change. */
import { dynamicProvider } from "./pulumi/dynamic-provider";
import { configure } from "./pulumi/provider-process";
import { voiceLifecycle } from "./pulumi/voice-lifecycle";

export const cloudVoice = dynamicProvider(configure, voiceLifecycle);
