import * as pulumi from "@pulumi/pulumi";
import { declareVoices, gatesBefore, gatesOf } from "./identity";
import { isRecord } from "../../rules/is-record";
import { manifestEntry } from "../../rules/manifest";
import { catalogProblems, catalogVoices } from "../shared/catalog";
import { cloudVoiceNames } from "../../../generated/names";
import { plugin, types } from "./register";
import { remoteOutput, remoteProperties, remoteVoices } from "./remote-catalog";
import { emptyStackTraces } from "./sdk";
import { CloudVoice, type CloudVoiceArgs } from "../../../generated/resources";

/**
 * An entry of a catalog or of a set: the arguments of a voice, of which it may leave out what the defaults `D` give.
 */
export type VoiceCatalogEntry<D = unknown> = Omit<CloudVoiceArgs, keyof [D][D extends unknown ? 0 : never]> &
  Partial<Pick<CloudVoiceArgs, keyof [D][D extends unknown ? 0 : never] & keyof CloudVoiceArgs>>;
// Workaround: the form of these keys makes TypeScript before 5.4, without `NoInfer`, infer `D` from the defaults alone.

/** Arguments of {@link VoiceCatalog}. */
export interface VoiceCatalogArgs<
  Key extends string = string,
  D extends Partial<CloudVoiceArgs> = Partial<CloudVoiceArgs>,
> {
  /**
   * The voices by their keys. An entry may leave out what `defaults` gives, and a field of an entry wins over the
   * default. A new key creates a voice, a removed key deletes it, and the order means nothing: a change touches the
   * changed entries only.
   */
  voices: Record<Key, VoiceCatalogEntry<D>>;
  /** Fields that the entries have in common. A change is a change of each entry that does not set the field itself. */
  defaults?: D | undefined;
  /**
   * Whether a replacement deletes the old voice before it creates the new one. Then the quota needs no room for both,
   * and there is a moment without the voice. A change is free. Default: `false`.
   */
  deleteBeforeReplace?: boolean | undefined;
}

/** What a program that synthesizes speech needs to know about a voice. */
export interface VoiceManifestEntry {
  /** The `voice` of synthesis calls. */
  voice: string;
  /** The model of synthesis calls. */
  targetModel: string;
  language?: string;
}

/**
 * The voices of a product, from one typed record. Each is a {@link CloudVoice} named `<catalog>-<key>`.
 *
 * ```ts
 * const catalog = new VoiceCatalog("voices", {
 *   defaults: { targetModel: "svc3-tts-vc-2026-01-22" },
 *   voices: {
 *     narrator: { audio: "audio/narrator.wav", language: "en" },
 *     support: { audio: "audio/support.mp3", language: "de" },
 *   },
 * });
 * export const manifest = catalog.manifest; // for the programs that synthesize speech
 * ```
 */
export class VoiceCatalog<
  const Key extends string = string,
  // Without defaults, nothing may be left out.
  const D extends Partial<CloudVoiceArgs> = object,
>
  extends pulumi.ComponentResource
{
  /** The resources by their keys: `catalog.voices.narrator.voice`. */
  declare readonly voices: Record<Key, CloudVoice>;
  /**
   * What programs that synthesize speech need, by key: `voice`, `targetModel` and, where it is declared, `language`.
   */
  declare readonly manifest: pulumi.Output<Record<Key, VoiceManifestEntry>>;

  constructor(name: string, args: VoiceCatalogArgs<Key, D>, opts?: pulumi.ComponentResourceOptions) {
    const problems = catalogProblems(args, cloudVoiceNames.inputs, isPlainRecord);
    if (problems.length > 0) throw new pulumi.RunError(`${name}: ${problems.join("; ")}`);
    const inputs = catalogVoices(args.voices, args.defaults);
    // Mocks have no plugin.
    if (plugin !== undefined && pulumi.runtime.hasEngine()) {
      declareVoices(inputs.map(([key]) => `${name}-${key}`));
      const properties = remoteProperties(name, inputs, args.deleteBeforeReplace, gatesBefore(opts));
      const restoreStackTraces = emptyStackTraces();
      try {
        super(types.voiceCatalog, name, properties, pulumi.mergeOptions({ ...plugin }, opts), true);
      } finally {
        restoreStackTraces();
      }
      Object.defineProperty(this, "__gates", { value: gatesOf(opts) });
      this.voices = remoteVoices(this, name, Object.keys(args.voices));
      this.manifest = remoteOutput(this, "manifest") as typeof this.manifest;
      return;
    }
    super(types.voiceCatalog, name, {}, opts);
    Object.defineProperty(this, "__gates", { value: gatesOf(opts) });
    const { ignoreChanges, retainOnDelete } = opts ?? {};
    const { deleteBeforeReplace } = args;
    const childOptions: pulumi.CustomResourceOptions = {
      parent: this,
      // Workaround: the engine does not apply these options of a component to its children.
      ...(ignoreChanges !== undefined && { ignoreChanges }),
      ...(retainOnDelete !== undefined && { retainOnDelete }),
      ...(deleteBeforeReplace !== undefined && { deleteBeforeReplace }),
    };
    const voices = inputs.map(
      ([key, given]) =>
        [key as Key, new CloudVoice(`${name}-${key}`, given as unknown as CloudVoiceArgs, childOptions)] as const,
    );
    this.voices = Object.fromEntries(voices) as Record<Key, CloudVoice>;
    const described = voices.map(([key, voice]) =>
      pulumi
        .all([voice.voice, voice.targetModel, voice.language])
        .apply(([id, targetModel, language]) => [key, manifestEntry({ voice: id, targetModel, language })] as const),
    );
    this.manifest = pulumi
      .all(described)
      .apply((all) => Object.fromEntries(all) as Record<string, object>) as typeof this.manifest;
    this.registerOutputs({ manifest: this.manifest });
  }
}

function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !pulumi.Output.isInstance(value) && !(value instanceof Promise);
}
