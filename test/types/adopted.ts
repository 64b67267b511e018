import { getStack } from "@pulumi/pulumi";
import { VoiceCatalog } from "pulumi-cloudvoice";

// Only the stack "prod" adopts the existing voices. Another stack creates a new voice for each entry, which is billed.
const existing = (voice: string) => (getStack() === "prod" ? voice : undefined);

// Each voice needs its recording: put the file at the path that `audio` names, or change the path. If a voice was
// made with `language` or `text`, add them before the first `pulumi up`: added later, they cost a new voice. Adopting
// is free. After the first `pulumi up`, you can remove `adopt`. The next update records that, free of charge.
const voices = new VoiceCatalog("voices", {
  defaults: { targetModel: "svc3-tts-vc-2026-01-22" },
  voices: {
    // created 2026-11-11
    by_hand: {
      audio: "audio/by_hand.wav", // the recording that the voice was made from
      adopt: existing("svc-tts-vc-by_hand-voice-20261111120000000-beef"),
    },
    // created 2026-11-11
    by_hand_2: {
      audio: "audio/by_hand_2.wav", // the recording that the voice was made from
      adopt: existing("svc-tts-vc-by_hand-voice-20261111120000000-cafe"),
    },
    // created at an unknown time
    jingle: {
      audio: "audio/jingle.wav", // the recording that the voice was made from
      adopt: existing("svc-tts-vc-jingle-voice-20261111120000000-beef"),
    },
  },
});

export const manifest = voices.manifest;
