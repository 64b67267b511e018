import { readFileSync } from "node:fs";
import { recordings } from "./files";

/** The literals of the contract, written by hand. Client and emulator are compared with them, each on its own. */

export const voicePath = "/api/v1/services/audio/tts/customization";
export const submitPath = "/api/v1/services/aigc/text2image/image-synthesis";
export const taskPath = "/api/v1/tasks/";
export const decisionPath = "/compatible-mode/v1/systemone";

export const recording = readFileSync(recordings.mp3);

/** The requests of contract 4.2 to 4.7, with every field. */
export const bodies = {
  createFromFile: {
    model: "svc-voice-enrollment",
    input: {
      action: "create",
      target_model: "svc3-tts-vc-2026-01-22",
      preferred_name: "narrator_1",
      audio: { data: `data:audio/mpeg;base64,${recording.toString("base64")}` },
      text: 'Willkommen im "Museum".\n',
      language: "de",
    },
  },
  createFromUrl: {
    model: "svc-voice-enrollment",
    input: {
      action: "create",
      target_model: "svc3-tts-vc-realtime-2026-01-15",
      preferred_name: "bob",
      audio: { data: "https://example.com/bob.wav" },
    },
  },
  list: { model: "svc-voice-enrollment", input: { action: "list", page_index: 2, page_size: 50 } },
  delete: { model: "svc-voice-enrollment", input: { action: "delete", voice: "svc-tts-vc-bob-voice-1" } },
  submit: {
    model: "svc-image-plus",
    input: { prompt: "a harbour at dawn" },
    parameters: { negative_prompt: "", size: "1328*1328", n: 2, prompt_extend: false, watermark: true },
  },
  decide: {
    model: "decision-model-preview",
    state: "The customer waits since Monday.",
    questions: {
      tone: { type: "choice", instructions: "Which tone?", criteria: { calm: "stays calm", angry: "is angry" } },
      urgent: { type: "noul", instructions: "Is it urgent?" },
      clarity: { type: "score", instructions: "How clear?", criteria: ["unclear", "clear"] },
    },
  },
} as const;

/** Every enumerated or fixed value of the contract that the tests use. */
export const contract = {
  paths: [voicePath, submitPath, `${taskPath}{task_id}`, decisionPath],
  targetModels: ["svc3-tts-vc-realtime-2026-01-15", "svc3-tts-vc-realtime-2025-11-27", "svc3-tts-vc-2026-01-22"],
  languages: ["zh", "en", "de", "it", "pt", "es", "ja", "ko", "fr", "ru"],
  imageModels: ["svc-image-plus", "svc-image"],
  mediaTypes: ["audio/wav", "audio/mpeg", "audio/mp4"],
  fixedModels: ["svc-voice-enrollment", "decision-model-preview"],
  headers: ["X-Svc-Async", "Authorization", "Content-Type"],
};
