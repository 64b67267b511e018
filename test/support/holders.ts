import type { Resource } from "../../provider/src/pulumi/provider/lifecycle";
import { resourceLabel } from "../../provider/src/rules/resource-types";
import { nameInUrn } from "../../provider/src/rules/resource-types";
import type { VoiceOutputs } from "../../provider/src/rules/voice";
import type { VoiceHolder } from "../../provider/src/voices/holder";

/** One voice, with a generated and with a chosen name, and two resources of one stack that may hold it. */

export const voice = "svc-tts-vc-n_1234567-voice-20260601110000000-0001";
const facts = { voice, targetModel: "m", audio: "a.wav", degraded: false, adopted: false, account: "a" };
export const generated: VoiceOutputs = {
  ...{ ...facts, preferredName: "n_1234567", nameVersion: 1, createdAt: "2026-06-01T11:00:00Z" },
};
export const chosen: VoiceOutputs = { ...facts, preferredName: "narrator", createdAt: "2026-06-01T11:00:00Z" };
export const [me, ren] = ["urn:pulumi:dev::p::t::old", "urn:pulumi:dev::p::t::ren"];
export const resource = (urn: string, protect = false): Resource => {
  const name = nameInUrn(urn);
  const options = { protect, deleteBeforeReplace: false, ignoresEverything: false, keepsRecording: false };
  return { name, label: resourceLabel(urn), identity: { urn }, secrets: new Set(), options };
};
export const entry = (urn: string, changes: Partial<VoiceHolder> = {}): VoiceHolder => ({
  stack: "dev",
  urn,
  savedUrn: urn,
  voice,
  isOld: false,
  ...changes,
});
