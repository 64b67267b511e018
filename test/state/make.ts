/**
 * `npx tsx test/state/make.ts`: records the state of the current release in a folder named for its version: the
 * program, the exported state and the emulator's data. `test/engine/old-state.test.ts` checks that later releases can
 * load it. Run it once per release.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../../provider/emulator";
import { Stack } from "../../tools/stack";
import { root } from "../../tools/local";

const program = `
new cv.CloudVoice("generated", {
  targetModel: model, audio: "a.wav", language: "en", text: pulumi.secret("a secret text"), triggers: ["v1", 2, true],
});
new cv.CloudVoice("chosen", { targetModel: model, audio: "b.mp3", preferredName: "announcer" });
new cv.CloudVoice("adopted", { targetModel: model, audio: "c.m4a", adopt: "by-hand" });
new cv.CloudVoice("from-url", { targetModel: model, audio: "https://audio.example/voice.wav" });
new cv.VoiceCatalog("catalog", {
  defaults: { targetModel: model },
  voices: { narrator: { audio: "a.wav" }, support: { audio: "c.m4a", language: "es" } },
});
new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse", size: "1328*1328", saveTo: "covers" });
new cv.Decision("gate", {
  state: { text: "Welcome" },
  questions: { tone: cv.question.choice("Tone?", { friendly: "Warm", rude: "Impolite" }) },
});
`;

async function main(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, "provider", "package.json"), "utf8")) as { version: string };
  const folderOfRelease = join(import.meta.dirname, version);
  if (existsSync(folderOfRelease))
    throw new Error(
      `The state of ${version} was not recorded: ${folderOfRelease} exists already, and the state of a release must ` +
        "not change. To record a new one, raise the version in provider/package.json.",
    );
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
    mkdirSync(folderOfRelease);
    writeFileSync(join(folderOfRelease, "state.json"), withoutSourcePositions(await stack.state()));
    cpSync(join(folder, "index.js"), join(folderOfRelease, "program.js"));
    cpSync(join(folder, "emulator.jsonl"), join(folderOfRelease, "emulator.jsonl"));
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes the paths of this machine, which the SDK writes into the state. */
function withoutSourcePositions(state: string): string {
  const clean = JSON.parse(state, (key, value: unknown) =>
    key === "sourcePosition" || key === "stackTrace" ? undefined : value,
  ) as unknown;
  return `${JSON.stringify(clean, null, 1)}\n`;
}

void main();
