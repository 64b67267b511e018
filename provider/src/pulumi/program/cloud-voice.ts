import * as pulumi from "@pulumi/pulumi";
import type { Trigger } from "../../rules/inputs";
import { resourceTypes } from "../shared/resource-types";
import type { CloudVoiceArgs, Language, TargetModel } from "./args";
import { audioInput } from "./audio-input";
import { beginRegistration, hasType } from "./register";

/**
 * A cloned voice of the service. It is created from a recording for 0.01 US dollars, and deleted with the resource.
 * It counts towards the account's quota of 1,000 voices.
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
  static readonly __pulumiType = resourceTypes.cloudVoice;

  /** The voice's name, which synthesis calls take as `voice`. The same as `id`. */
  declare readonly voice: pulumi.Output<string>;
  declare readonly targetModel: pulumi.Output<TargetModel | (string & {})>;
  /** The path or URL of the audio; never its bytes. */
  declare readonly audio: pulumi.Output<string>;
  /** The name inside the voice's name, also of an adopted voice. */
  declare readonly preferredName: pulumi.Output<string>;
  declare readonly text: pulumi.Output<string | undefined>;
  declare readonly language: pulumi.Output<Language | undefined>;
  declare readonly triggers: pulumi.Output<Trigger[] | undefined>;
  declare readonly adopt: pulumi.Output<string | undefined>;
  /** When the service created the voice, in ISO 8601. The service's time is taken as UTC. */
  declare readonly createdAt: pulumi.Output<string | undefined>;
  /** SHA-256 of the audio file, in hexadecimal. Absent for a URL, and for an adopted voice. */
  declare readonly audioSha256: pulumi.Output<string | undefined>;
  /** Length of the audio file in seconds. Absent for a URL, and for an adopted voice. */
  declare readonly audioSeconds: pulumi.Output<number | undefined>;
  /** Whether the service created the voice in poorer quality. It bills such a voice too. */
  declare readonly degraded: pulumi.Output<boolean>;
  /** Why the service created the voice in poorer quality, in its own words. */
  declare readonly degradedReason: pulumi.Output<string | undefined>;
  /** Whether the voice was taken over by {@link CloudVoiceArgs.adopt}. */
  declare readonly adopted: pulumi.Output<boolean>;
  /** The service's id of the request that created the voice. */
  declare readonly requestId: pulumi.Output<string | undefined>;

  /** Whether a value is a voice of this package, whichever copy of the package created it. */
  static override isInstance(value: unknown): value is CloudVoice {
    return hasType(value, CloudVoice.__pulumiType);
  }

  /**
   * @param name - Name of the resource, unique among the program's voices under the same parent.
   * @param args - The inputs.
   * @param opts - The usual resource options. `import` does not work for a dynamic resource; use `adopt`.
   */
  constructor(name: string, args: CloudVoiceArgs, opts?: pulumi.CustomResourceOptions) {
    const { targetModel, audio, preferredName, text, language, triggers, adopt } = args;
    const { props, end } = beginRegistration({
      resource: "cloudVoice",
      name,
      opts,
      args,
      outputs: outputNames,
      inputs: { targetModel, audio: audioInput(audio), preferredName, text, language, triggers, adopt },
      insteadOfImport: (id) => `set adopt: ${JSON.stringify(id)} instead`,
    });
    try {
      super(CloudVoice.__pulumiType, name, props, opts);
    } finally {
      end();
    }
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
