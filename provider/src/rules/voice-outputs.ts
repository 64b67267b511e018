import * as z from "zod";
import { optionalText, output } from "./outputs";

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
