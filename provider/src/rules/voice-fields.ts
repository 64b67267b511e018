import * as z from "zod";
import { languages, longestName, targetModels } from "./contract";
import { type AudioFacts, audioPlace, audioProblem, mayHoldSecret } from "./audio";
import {
  alikeTexts,
  checkInputs,
  declareInputs,
  filledText,
  type InputProblem,
  type InputsOf,
  quoted,
  text,
  replaces,
  triggers,
  triggersExample,
  updates,
} from "./inputs";
import { rights, rightsFields } from "./rights";
import { optionalText, output } from "./outputs";

const allowedName = `must be 1 to ${longestName} digits, letters (a–z) and underscores`;

export const voiceInputs = declareInputs("CloudVoice", ["audioSha256", "audioSeconds", "nameVersion", "noteName"], {
  // @persisted
  targetModel: replaces(
    z.string("must be the name of a synthesis model"),
    "The synthesis model that synthesis calls with the voice must name: " +
      `${targetModels.map((model) => `\`${model}\``).join(", ")}, ` +
      "or one in the setting `extraTargetModels`.",
    { type: "TargetModel | (string & {})" },
  ),
  // Declared as an update, because a new path alone is free. Other bytes replace the voice (`voiceReplacements`).
  audio: updates(
    z.string("must be a path, a URL, a FileAsset or a RemoteAsset"),
    "The recording: 10 to 20 seconds of speech as WAV, MP3 or MP4, under 10 MB once encoded. " +
      "A file's path, relative to the folder the program runs in; an `http(s)://` URL that needs no authentication; " +
      "or a `FileAsset` or `RemoteAsset`. You must hold the rights to the voice.",
    {
      pluginDescription:
        "The recording: 10 to 20 seconds of speech as WAV, MP3 or MP4, under 10 MB once encoded. " +
        "A file's path, relative to the folder the program runs in, or an `http(s)://` URL that needs no authentication. " +
        "You must hold the rights to the voice.",
      changeDetail:
        "Other bytes replace the voice ($0.01). Another path alone is free. A URL is compared as text, without its " +
        "signature. If only the recording behind the URL changed, change `triggers`.",
      programType: "string | pulumi.asset.FileAsset | pulumi.asset.RemoteAsset",
    },
  ),
  preferredName: replaces(
    z
      .string(allowedName)
      .regex(/^[0-9A-Za-z_]{1,16}$/, { error: ({ input: name }) => `is ${quoted(name)}; it ${allowedName}` })
      .optional(),
    `The preferred name inside the voice's name: 1 to ${longestName} digits, letters and underscores. ` +
      "Better leave it out: without the journal, only a generated name identifies a voice.",
    {
      changeDetail: "Removing it keeps the voice and its name.",
      default: "generated at creation, and kept",
    },
  ),
  text: replaces(
    text.optional(),
    "The words spoken in the recording. If the recording differs much, the service refuses it.",
    { hidden: true, ...alikeTexts },
  ),
  language: replaces(
    z
      .enum(languages, { error: ({ input: value }) => `is ${quoted(value)}; allowed: ${languages.join(", ")}` })
      .optional(),
    "The language, which must be that of the recording: " + `${languages.map((code) => `\`${code}\``).join(", ")}.`,
    { type: "Language" },
  ),
  triggers: replaces(triggers(), "Values whose change replaces the voice.", { example: triggersExample }),
  adopt: updates(
    filledText("must be the name of an existing voice").optional(),
    "The full name of an existing voice to use instead of creating one, free. Read at creation only. " +
      "While it is set, a change that would replace the voice fails at preview.",
    { changeDetail: "Taking it out later changes nothing." },
  ),
  rights: updates(
    rights.optional(),
    "Who gave the right to use the voice (`holder`), where the consent is kept (`evidence`), and when it ends " +
      "(`until`). Kept in the state, and never sent to the service. May be secret, as a whole or field by field. " +
      "The setting `requireRights` can require it.",
    {
      hidden: true,
      default: "none",
      type: "VoiceRights",
      programType: "VoiceRightsArgs",
      pluginSchema: rightsFields,
    },
  ),
});

export type VoiceInputs = InputsOf<typeof voiceInputs>;

/** `audio`: the facts of the audio file; undefined for a URL. */
export function checkVoiceInputs(
  inputs: object,
  unknown: ReadonlySet<string>,
  { audio: file, extraTargetModels }: { audio: AudioFacts | undefined; extraTargetModels: readonly string[] },
): InputProblem[] {
  return checkInputs(voiceInputs, inputs, unknown, {
    targetModel(model: string) {
      const allowed = [...targetModels, ...extraTargetModels];
      if (allowed.includes(model)) return undefined;
      return `is ${quoted(model)}; allowed: ${allowed.join(", ")}; for a newer one set cloudvoice:extraTargetModels`;
    },
    audio(audio: string) {
      const place = audioPlace(audio);
      const reason = "problem" in place ? place.problem : file && audioProblem(file);
      // Workaround: the engine prints the value of an input that a failure names, e.g. a URL with a password.
      return reason === undefined ? undefined : [{ reason, hidden: mayHoldSecret(audio) }];
    },
  });
}

/**
 * A voice's state besides its inputs. The description of an output with an input's name is appended to the input's
 * description.
 */
export const voiceOutputs = z.object({
  // @persisted
  voice: output(z.string(), "The voice's name, which synthesis calls take as `voice`. The same as `id`."),
  audio: output(z.string(), "The path or URL of the audio; never its bytes."),
  preferredName: output(
    z.string(),
    "The preferred name that the voice's name contains. For an adopted voice, it may differ from the declared name.",
  ),
  createdAt: optionalText(
    "When the service created the voice, in ISO 8601 and UTC, or as the service sent it if the form is unknown.",
  ),
  audioSha256: optionalText("SHA-256 of the audio file, in hexadecimal. Absent for a URL, and for an adopted voice."),
  audioSeconds: output(z.number().optional(), "Length of the audio file in seconds. Absent when `audioSha256` is."),
  degraded: output(z.boolean(), "Whether the service created the voice in poorer quality. It bills such a voice too."),
  degradedReason: optionalText("Why the service created the voice in poorer quality, in its own words."),
  adopted: output(z.boolean(), "Whether the voice came from `adopt`. If so, it is never deleted."),
  requestId: optionalText("The service's id of the request that created the voice."),
  nameVersion: output(z.number().optional(), {
    description: "The version of the formula that generated the name. Absent when the program chose the name.",
    internal: true,
  }),
  noteName: output(z.string().optional(), {
    description:
      "The generated name under which the journal has the voice's note, if the program chose the preferred name.",
    internal: true,
  }),
  adoptedWith: output(z.custom<object>().optional(), {
    description:
      "For an adopted voice: the values that the program declares. The outputs of the same names have the voice's facts.",
    internal: true,
  }),
  account: output(z.string(), { description: "Fingerprint of the account that holds the voice.", internal: true }),
});
