/**
 * `npx tsx test/state/make.ts`: keeps what the package of today leaves behind, for all later ones to load: run once for each release, and
 * never again for the same. A folder a release: the program, the exported state, and the emulator's memory.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../../provider/src/emulator";
import { Stack } from "../../tools/stack";
import { root } from "../../tools/local";

const program = `
new cv.CloudVoice("generated", { targetModel: model, audio: "a.wav", language: "en", text: pulumi.secret("a secret text"), triggers: ["v1", 2, true] });
new cv.CloudVoice("chosen", { targetModel: model, audio: "b.mp3", preferredName: "announcer" });
new cv.CloudVoice("adopted", { targetModel: model, audio: "c.m4a", adopt: "by-hand" });
new cv.CloudVoice("from-url", { targetModel: model, audio: "https://audio.example/voice.wav" });
new cv.VoiceCatalog("catalog", { defaults: { targetModel: model }, voices: { narrator: { audio: "a.wav" }, support: { audio: "c.m4a", language: "es" } } });
new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse", size: "1328*1328", saveTo: "covers" });
new cv.Decision("gate", { state: { text: "Welcome" }, questions: { tone: cv.question.choice("Tone?", { friendly: "Warm", rude: "Impolite" }) } });
`;

async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, "provider", "package.json"), "utf8")) as { version: string };
  const kept = join(import.meta.dirname, version);
  if (existsSync(kept)) throw new Error(`${version} is kept already; a released state is not made anew`);
  const folder = mkdtempSync(join(tmpdir(), "state-"));
  const emulator = await startEmulator({
    file: join(folder, "emulator.jsonl"),
    accounts: { default: "key-of-the-state" },
  });
  try {
    const [byHand = ""] = emulator.seedVoices("default", 1);
    const stack = (await Stack.in(folder, emulator, { settings: { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1" } })).program(
      program.replace("by-hand", byHand),
    );
    await stack.ok(stack.up());
    mkdirSync(kept);
    writeFileSync(join(kept, "state.json"), withoutPlaces(await stack.state()));
    cpSync(join(folder, "index.js"), join(kept, "program.js"));
    cpSync(join(folder, "emulator.jsonl"), join(kept, "emulator.jsonl"));
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without where on this machine the program's code lay. */
function withoutPlaces(state: string): string {
  const clean = JSON.parse(state, (key, value: unknown) =>
    key === "sourcePosition" || key === "stackTrace" ? undefined : value,
  ) as unknown;
  return `${JSON.stringify(clean, null, 1)}\n`;
}

void main();
