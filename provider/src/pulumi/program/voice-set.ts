import * as pulumi from "@pulumi/pulumi";
import type { CloudVoiceArgs } from "../../../generated/resources";
import type { VoiceSetEntry } from "../../../generated/voice-set";
import { isRecord } from "../../rules/is-record";
import { entryName, voiceSetType } from "../../rules/resource-types";
import { identityText } from "../shared/identity";
import { type DeclaredVoices, gatesOf, toldIdentity } from "./identity";
import { audioInput } from "./paths";
import { plugin } from "./register";
import { asOutput, assertNoProtoKeys, emptyStackTraces } from "./sdk";
import type { VoiceCatalogArgs, VoiceManifestEntry } from "./voice-catalog";

/** Arguments of {@link VoiceSet}. */
export interface VoiceSetArgs<
  Key extends string = string,
  D extends Partial<CloudVoiceArgs> = Partial<CloudVoiceArgs>,
> extends VoiceCatalogArgs<Key, D> {
  /**
   * Whether the voices of removed and replaced entries stay in the account. The update logs their names and removes
   * them from the state. The input `adopt` can take them back. Default: `false`.
   */
  keepRemoved?: boolean | undefined;
}

/**
 * Hundreds of voices as one resource. A preview and an update take a small part of the time that they take with a
 * resource for each voice. An entry is created, replaced and deleted like a `CloudVoice`. The option `import` does not
 * work: an entry takes an existing voice with `adopt`.
 *
 * ```ts
 * const set = new VoiceSet("voices", {
 *   defaults: { targetModel: "svc3-tts-vc-2026-01-22" },
 *   voices: {
 *     narrator: { audio: "audio/narrator.wav", language: "en" },
 *     support: { audio: "audio/support.mp3", language: "de" },
 *   },
 * });
 * export const narrator = set.voices.narrator.voice;
 * ```
 */
export class VoiceSet<const Key extends string = string, const D extends Partial<CloudVoiceArgs> = object>
  extends pulumi.CustomResource
{
  /** The voices by their keys, e.g. `set.voices.narrator.voice`. */
  declare readonly voices: pulumi.Output<Record<Key, VoiceSetEntry>>;
  /**
   * The values that programs need to synthesize speech, by key: `voice`, `targetModel` and, if the entry has it,
   * `language`.
   */
  declare readonly manifest: pulumi.Output<Record<Key, VoiceManifestEntry>>;

  constructor(name: string, args: VoiceSetArgs<Key, D>, opts: pulumi.CustomResourceOptions = {}) {
    if (opts.import !== undefined || opts.id !== undefined)
      throw new pulumi.RunError(`${name}: a VoiceSet can't be imported. Set adopt in its entries instead`);
    assertNoProtoKeys(name, args);
    const { voices, defaults } = args as { voices: unknown; defaults?: unknown };
    // Only where the SDK would hang (see `asOutput`), because one secret makes a whole output secret.
    const mustBeOutput = isRecord(voices) && Object.hasOwn(voices, "toString");
    const entries = isRecord(voices) ? withAudioInputs(voices) : voices;
    const properties = {
      ...args,
      voices: mustBeOutput ? asOutput(entries) : entries,
      defaults: isRecord(defaults) ? audioInputIn(defaults) : defaults,
      manifest: undefined,
      identity: toldIdentity(entriesIn(name, voices), opts).then(identityText),
    };
    const restoreStackTraces = emptyStackTraces();
    try {
      super(voiceSetType, name, properties, pulumi.mergeOptions({ ...plugin }, opts));
    } finally {
      restoreStackTraces();
    }
    Object.defineProperty(this, "__gates", { value: gatesOf(opts) });
  }
}

/** The names of a set's entries. If an entry is not known yet, assume that it adopts a voice. */
function entriesIn(name: string, voices: unknown): DeclaredVoices {
  if (!isRecord(voices)) return { voices: [], adopts: true };
  const adopts = Object.values(voices).some((entry) => !isRecord(entry) || entry.adopt !== undefined);
  return { voices: Object.keys(voices).map((key) => entryName(name, key)), adopts };
}

function withAudioInputs(voices: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(voices).map(([key, entry]) => [key, audioInputIn(entry)]));
}

function audioInputIn(entry: unknown): unknown {
  if (!isRecord(entry) || entry.audio === undefined) return entry;
  return { ...entry, audio: audioInput(entry.audio as string) };
}
