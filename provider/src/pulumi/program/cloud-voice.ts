import * as pulumi from "@pulumi/pulumi";
import type { Language, TargetModel, VoiceInputs } from "../../rules/voice";
import { audioInput } from "./audio-input";
import { recordUntargeted } from "../shared/untargeted";
import { identityOf } from "./identity";
import { checkSecretKey } from "./settings";
import { refuseImport } from "./refuse-import";
import { withoutTraces } from "./without-traces";
import { providerText, requireResolvable } from "../shared/provider-text";

/** Arguments of {@link CloudVoice}. Changing a field marked *replaces* makes, and pays for, a new voice and deletes the old one. */
export interface CloudVoiceArgs {
  /**
   * The synthesis model that the voice is bound to; synthesis calls must name the same one. *Replaces.*
   * One of {@link TargetModel}, or a newer one named in the setting `cloudvoice:extraTargetModels`. Contract 4.2.
   */
  targetModel: pulumi.Input<VoiceInputs["targetModel"]>;
  /**
   * Speech of 10 to 20 seconds as WAV, MP3 or MP4, under 10 MB once encoded. *Replaces* when its bytes change.
   *
   * A file's path (relative to the folder the program runs in), an `http(s)://` URL that needs no authentication, or a
   * `FileAsset` or `RemoteAsset`. Files are compared by their bytes, so moving one changes nothing; URLs are compared as text and
   * fetched by the service alone: for other bytes behind the same URL, change `triggers`. You must hold the rights to the
   * voice (contract 1). Contract 4.2 and 8.
   */
  audio: pulumi.Input<string | pulumi.asset.FileAsset | pulumi.asset.RemoteAsset>;
  /**
   * The name inside the voice's name: 1 to 16 digits, letters and underscores. *Replaces.*
   * Left out (better): generated from the resource and its content, chosen at creation and kept. A voice with a generated name is
   * never paid for twice, whatever breaks; names chosen by hand are not unique at the service. Contract 4.2.
   */
  preferredName?: pulumi.Input<NonNullable<VoiceInputs["preferredName"]>>;
  /** What is said in the audio. The service refuses audio that differs much from it, with `Audio.PreprocessError`. *Replaces.* Contract 4.2. */
  text?: pulumi.Input<NonNullable<VoiceInputs["text"]>>;
  /** The language spoken, one of {@link Language}; it must match the audio. *Replaces.* Contract 4.2. */
  language?: pulumi.Input<NonNullable<VoiceInputs["language"]>>;
  /** Values whose change makes the voice anew: the way to say that the bytes behind a URL changed. *Replaces.* */
  triggers?: pulumi.Input<pulumi.Input<NonNullable<VoiceInputs["triggers"]>[number]>[]>;
  /**
   * The full name of an existing voice to take over instead of creating one. Free. Read at creation only: taking it out later
   * changes nothing. While it is set, a change that would replace the voice fails at preview.
   */
  adopt?: pulumi.Input<NonNullable<VoiceInputs["adopt"]>>;
}

/**
 * A cloned voice of the service (contract 2.1): created from a recording for 0.01 US dollars, found again by list, deleted with
 * the resource. Counts towards the account's quota of 1,000.
 *
 * ```ts
 * const narrator = new CloudVoice("narrator", {
 *   targetModel: "svc3-tts-vc-2026-01-22",
 *   audio: "audio/narrator.wav",
 *   language: "en",
 * });
 * export const voice = narrator.voice;
 * ```
 */
export class CloudVoice extends pulumi.CustomResource {
  /** @internal */
  static readonly __pulumiType = "pulumi-nodejs:dynamic/cloudvoice:CloudVoice";

  /** The voice's name, to be used as `voice` in synthesis calls; the same as `id`. */
  declare readonly voice: pulumi.Output<string>;
  declare readonly targetModel: pulumi.Output<TargetModel | (string & {})>;
  /** The path or URL of the audio; never its bytes. */
  declare readonly audio: pulumi.Output<string>;
  declare readonly preferredName: pulumi.Output<string>;
  declare readonly text: pulumi.Output<string | undefined>;
  declare readonly language: pulumi.Output<Language | undefined>;
  declare readonly triggers: pulumi.Output<(string | number | boolean)[] | undefined>;
  declare readonly adopt: pulumi.Output<string | undefined>;
  /** When the service made the voice: ISO 8601, its time taken as UTC. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** SHA-256 of the audio file, in hexadecimal. Absent for a URL. */
  declare readonly audioSha256: pulumi.Output<string | undefined>;
  /** Length of the audio file in seconds, as measured. Absent for a URL. */
  declare readonly audioSeconds: pulumi.Output<number | undefined>;
  /** True when the service made the voice in poorer quality, and billed it all the same. */
  declare readonly degraded: pulumi.Output<boolean>;
  declare readonly degradedReason: pulumi.Output<string | undefined>;
  /** True when the voice was taken over by {@link CloudVoiceArgs.adopt}. */
  declare readonly adopted: pulumi.Output<boolean>;
  /** The service's id of the request that created the voice. */
  declare readonly requestId: pulumi.Output<string | undefined>;

  /** True for a voice of this package, whichever copy of the package made it. */
  static override isInstance(value: unknown): value is CloudVoice {
    return (
      pulumi.CustomResource.isInstance(value) &&
      (value as { __pulumiType?: string }).__pulumiType === CloudVoice.__pulumiType
    );
  }

  /**
   * @param name - Name of the resource, unique among the program's voices under the same parent.
   * @param args - What to make.
   * @param opts - The usual resource options; `import` can't work for a dynamic resource, `adopt` does its work.
   */
  constructor(name: string, args: CloudVoiceArgs, opts?: pulumi.CustomResourceOptions) {
    checkSecretKey();
    requireResolvable();
    refuseImport(name, opts, (id) => `set adopt: ${JSON.stringify(id)} instead`);
    const { targetModel, audio, preferredName, text, language, triggers, adopt } = args;
    const inputs = { targetModel, audio: audioInput(audio), preferredName, text, language, triggers, adopt };
    const outputs = Object.fromEntries(outputNames.map((output) => [output, undefined]));
    const identity = identityOf(CloudVoice.__pulumiType, name, opts);
    const hidden = { identity, __provider: providerText("cloudVoice") };
    const restoreTraces = withoutTraces();
    try {
      super(CloudVoice.__pulumiType, name, { ...outputs, ...inputs, ...hidden }, opts);
    } finally {
      restoreTraces();
    }
    recordUntargeted(this, identity);
  }
}

const outputNames = [
  "voice",
  "createdAt",
  "audioSha256",
  "audioSeconds",
  "degraded",
  "degradedReason",
  "adopted",
  "requestId",
] as const satisfies readonly (keyof CloudVoice)[];
