import * as pulumi from "@pulumi/pulumi";
import { isRecord } from "../../rules/is-record";
import { unknownNames } from "../../rules/nearest-name";
import { resourceTypes } from "../shared/resource-types";
import { cloudVoiceNames } from "./names";
import { CloudVoice, type CloudVoiceArgs } from "./resources";

type Defaulted<D> = Omit<CloudVoiceArgs, keyof D> & Partial<Pick<CloudVoiceArgs, keyof D & keyof CloudVoiceArgs>>;

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
  voices: Record<Key, Defaulted<D>>;
  /** Fields that the entries have in common. A change is a change of each entry that does not set the field itself. */
  defaults?: D;
  /**
   * Whether a replacement deletes the old voice before it creates the new one. Then the quota needs no room for both,
   * and there is a moment without the voice. A change is free. Default: `false`.
   */
  deleteBeforeReplace?: boolean;
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
  const D extends Partial<CloudVoiceArgs> = Partial<CloudVoiceArgs>,
>
  extends pulumi.ComponentResource
{
  /** The resources by their keys: `catalog.voices.narrator.voice`. */
  readonly voices: Record<Key, CloudVoice>;
  /** What programs that synthesize speech need, by key: `voice`, `targetModel` and, where it is declared, `language`. */
  readonly manifest: pulumi.Output<Record<Key, VoiceManifestEntry>>;

  constructor(name: string, args: VoiceCatalogArgs<Key, D>, opts?: pulumi.ComponentResourceOptions) {
    assertCatalog(name, args);
    super(resourceTypes.voiceCatalog, name, {}, opts);
    const { voices, defaults, deleteBeforeReplace } = args;
    const { ignoreChanges, retainOnDelete } = opts ?? {};
    const childOptions: pulumi.CustomResourceOptions = {
      parent: this,
      // For a component, the engine leaves these to its code.
      ...(ignoreChanges !== undefined && { ignoreChanges }),
      ...(retainOnDelete !== undefined && { retainOnDelete }),
      ...(deleteBeforeReplace !== undefined && { deleteBeforeReplace }),
    };
    const entries = Object.entries(voices) as [Key, Partial<CloudVoiceArgs>][];
    const made = entries.map(
      ([key, entry]) =>
        [
          key,
          new CloudVoice(`${name}-${key}`, { ...defaults, ...withoutUndefined(entry) } as CloudVoiceArgs, childOptions),
        ] as const,
    );

    this.voices = Object.fromEntries(made) as Record<Key, CloudVoice>;
    const described = made.map(([key, voice]) =>
      pulumi
        .all([voice.voice, voice.targetModel, voice.language])
        .apply(([id, targetModel, language]): [Key, VoiceManifestEntry] => [
          key,
          { voice: id, targetModel, ...(language !== undefined && { language }) },
        ]),
    );
    this.manifest = pulumi.all(described).apply((all) => Object.fromEntries(all) as Record<Key, VoiceManifestEntry>);
    this.registerOutputs({ manifest: this.manifest });
  }
}

/** A component has no check, so what a JavaScript program can misspell is refused here, all at once. */
function assertCatalog(name: string, args: object): void {
  const { voices, defaults = {} } = args as Record<string, unknown>;
  const ofArguments = unknownNames(args, ["voices", "defaults", "deleteBeforeReplace"], "an input of VoiceCatalog");
  const problems = isPlainRecord(voices)
    ? Object.entries(voices).flatMap(([key, entry]) =>
        voiceProblems(entry, /^\w+$/.test(key) ? `voices.${key}` : `voices[${JSON.stringify(key)}]`),
      )
    : ["voices must be an object of voices"];
  const all = [...ofArguments, ...voiceProblems(defaults, "defaults"), ...problems];
  if (all.length > 0) throw new pulumi.RunError(`${name}: ${all.join("; ")}`);
}

function voiceProblems(inputs: unknown, place: string): string[] {
  if (!isPlainRecord(inputs)) return [`${place} must be an object of inputs`];
  return unknownNames(inputs, cloudVoiceNames.inputs, "an input of CloudVoice", ` in ${place}`);
}

function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !pulumi.Output.isInstance(value) && !(value instanceof Promise);
}

/** A field that an entry leaves undefined does not override its default. */
function withoutUndefined<T extends object>(entry: T): T {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as T;
}
