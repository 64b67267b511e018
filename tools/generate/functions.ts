import { z } from "zod";
import { namedType, optionalText, output } from "../../provider/src/rules/outputs";

const listedVoice = namedType(
  { name: "ListedVoice", description: "A voice of the account." },
  {
    voice: output(z.string(), "The voice's name."),
    createdAt: optionalText(
      "When the service created the voice, in ISO 8601, or as the service sent it if the form is unknown.",
    ),
    targetModel: output(z.string(), "The synthesis model that the voice is bound to."),
  },
);

/** What `getVoices` returns. */
export const voiceListOutputs = z.object({
  voices: output(z.array(listedVoice), {
    description: "The listed voices. `createdAt` is in ISO 8601, or as the service sent it if the form is unknown.",
    type: "{ voice: string; createdAt?: string; targetModel: string }[]",
  }),
  total: output(z.int(), "How many voices the account has, of all target models."),
  quota: output(z.int(), "The setting `voiceQuota`."),
  remaining: output(z.int(), "`quota` less `total`, at least 0."),
});
