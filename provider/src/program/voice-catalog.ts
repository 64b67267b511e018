import * as pulumi from "@pulumi/pulumi";
import { gatesOf } from "./identity";
import { isRecord } from "../rules/values";
import {
  catalogProblems,
  catalogVoices,
  formerVoices,
  ignoredInputs,
  type InputsCheck,
  manifestEntry,
  namesCheck,
  problemText,
} from "../rules/catalog";
import { cloudVoiceNames } from "../../generated/names";
import { types } from "./register";
import type * as CatalogCheck from "./catalog-check";
import { CloudVoice, type CloudVoiceArgs } from "../../generated/resources";

/** An entry of a catalog: the arguments of a voice, without those that the defaults `D` give. */
export type VoiceCatalogEntry<D = unknown> = Omit<CloudVoiceArgs, keyof [D][D extends unknown ? 0 : never]> &
  Partial<Pick<CloudVoiceArgs, keyof [D][D extends unknown ? 0 : never] & keyof CloudVoiceArgs>> & {
    /**
     * The key that this entry had before, or a list of such keys. The entry keeps its voice, at no cost. Remove this
     * once every stack was updated with it, or before another entry uses the key.
     * @example
     * ```ts
     * "support"
     * ```
     */
    renamedFrom?: string | readonly string[] | undefined;
  };
// Workaround: TypeScript before 5.4 lacks `NoInfer`. The form of these key types makes TypeScript infer `D` from the
// defaults alone.

/** Arguments of {@link VoiceCatalog}. */
export interface VoiceCatalogArgs<
  Key extends string = string,
  D extends Partial<CloudVoiceArgs> = Partial<CloudVoiceArgs>,
> {
  /**
   * The voices by their keys. A field of an entry takes precedence over that of `defaults`. A new key creates a voice,
   * and a removed key deletes its voice.
   */
  voices: Record<Key, VoiceCatalogEntry<D>>;
  /**
   * Fields that the entries have in common.
   */
  defaults?: D | undefined;
  /**
   * Whether a replacement deletes the old voice before it creates the new one. If so, the account needs room for one
   * of them only, and for a moment neither exists. Default: `false`.
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
  // Without defaults, an entry can't leave out a required argument.
  const D extends Partial<CloudVoiceArgs> = object,
>
  extends pulumi.ComponentResource
{
  /** The resources by their keys, e.g. `catalog.voices.narrator.voice`. */
  declare readonly voices: Record<Key, CloudVoice>;
  /**
   * The values that programs need to synthesize speech, by key: `voice`, `targetModel` and, if the entry has it,
   * `language`.
   */
  declare readonly manifest: pulumi.Output<Record<Key, VoiceManifestEntry>>;

  constructor(name: string, args: VoiceCatalogArgs<Key, D>, opts?: pulumi.ComponentResourceOptions) {
    const problems = catalogProblems(args, cloudVoiceNames.inputs, checkOf(opts), isPlainRecord);
    if (problems.length > 0) throw new pulumi.RunError(problemText(name, problems));
    const inputs = catalogVoices(args.voices, args.defaults);
    super(types.voiceCatalog, name, {}, opts);
    Object.defineProperty(this, "__gates", { value: gatesOf(opts) });
    const { ignoreChanges, retainOnDelete } = opts ?? {};
    const { deleteBeforeReplace } = args;
    const optionsOf = (renamedFrom: string[]): pulumi.CustomResourceOptions => ({
      parent: this,
      aliases: formerVoices(name, renamedFrom),
      // Workaround: the engine does not apply these options of a component to its children.
      ...(ignoreChanges !== undefined && { ignoreChanges }),
      ...(retainOnDelete !== undefined && { retainOnDelete }),
      ...(deleteBeforeReplace !== undefined && { deleteBeforeReplace }),
    });
    const voices = inputs.map(
      ([key, entry, renamedFrom]) =>
        [
          key as Key,
          new CloudVoice(`${name}-${key}`, entry as unknown as CloudVoiceArgs, optionsOf(renamedFrom)),
        ] as const,
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

/**
 * The check of the inputs of a catalog's voices. Checks only the names with mocks, as for a single voice, and with a
 * transform, which can change the inputs.
 */
function checkOf(opts: pulumi.ComponentResourceOptions = {}): InputsCheck {
  const mayChange = [opts.transforms, opts.transformations].some((each) => each !== undefined && each.length > 0);
  const isChecked = !mayChange && !ignoredInputs(opts.ignoreChanges).has("*");
  if (!pulumi.runtime.hasEngine() || !isChecked) return namesCheck(cloudVoiceNames.inputs);
  // Loaded here, because the schemas take 50 ms, and programs without a catalog do not need them.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { checkInProgram } = require("./catalog-check") as typeof CatalogCheck;
  return checkInProgram(opts);
}

function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !pulumi.Output.isInstance(value) && !(value instanceof Promise);
}
