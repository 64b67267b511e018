import { CloudVoice, VoiceCatalog, type VoiceCatalogEntry } from "../../provider/src";

/** Compiled with `exactOptionalPropertyTypes`: what is not known may be passed as undefined. */

const language = undefined as "en" | undefined;
export const voice = new CloudVoice("v", { targetModel: "m", audio: "a.wav", language, rights: undefined });

const entry: VoiceCatalogEntry<{ targetModel: string }> = { audio: "a.wav", language };
export const catalog = new VoiceCatalog("c", { defaults: { targetModel: "m" }, voices: { entry } });

// @ts-expect-error -- Without defaults, an entry needs a model.
export const incomplete = new VoiceCatalog("c", { voices: { narrator: { audio: "a.wav" } } });

// @ts-expect-error -- The defaults give no recording.
export const silent = new VoiceCatalog("c", { defaults: { targetModel: "m" }, voices: { narrator: {} } });
