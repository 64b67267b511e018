import { VoiceCatalog } from "pulumi-cloudvoice";

// Each voice needs its recording: put the file at the path that `audio` names, or change the path. Add `language`
// and `text` if the voice was made with them. Adopting is free. After the first `pulumi up`, `adopt` can be removed.
const catalog = new VoiceCatalog("voices", {
  defaults: { targetModel: "svc3-tts-vc-2026-01-22" },
  voices: {
    // created 2026-11-11
    by_hand: {
      audio: "audio/by_hand.wav", // the recording that the voice was made from
      adopt: "svc-tts-vc-by_hand-voice-20261111120000000-beef",
    },
    // created 2026-11-11
    by_hand_2: {
      audio: "audio/by_hand_2.wav", // the recording that the voice was made from
      adopt: "svc-tts-vc-by_hand-voice-20261111120000000-cafe",
    },
    // created at an unknown time
    jingle: {
      audio: "audio/jingle.wav", // the recording that the voice was made from
      adopt: "svc-tts-vc-jingle-voice-20261111120000000-beef",
    },
  },
});

export const manifest = catalog.manifest;
