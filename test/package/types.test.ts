import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { pack } from "../../tools/npm";
import { put, temporaryFolder } from "../support/files";

/** The compiler of a new project accepts the published types, also with `skipLibCheck` off and with old releases. */

const program = `
import type { Output } from "@pulumi/pulumi";
import { CloudVoice, Decision, decisionCheck, GeneratedImage, getVoicesOutput, question, VoiceCatalog } from "pulumi-cloudvoice";
import { type Emulator, startEmulator } from "pulumi-cloudvoice/emulator";

const targetModel = "svc3-tts-vc-2026-01-22";
const questions = { tone: question.choice("?", { warm: "Warm", cold: "Cold" }), level: question.score("?", ["low", "high"]) };
const gate = new Decision("gate", { state: "text", questions, expect: { tone: { choice: "warm" } } });
export const tone: Output<"warm" | "cold"> = gate.answers.tone.choice;
export const voice: Output<string> = new CloudVoice("narrator", { targetModel, audio: "a.wav", language: "en" }).voice;
// @ts-expect-error The service has no such language.
new CloudVoice("other", { targetModel, audio: "a.wav", language: "xx" });
export const { manifest } = new VoiceCatalog("voices", { defaults: { targetModel }, voices: { a: { audio: "a.wav" } } });
export const file: Output<string | undefined> | undefined = new GeneratedImage("i", { model: "svc-image", prompt: "p" }).images[0].file;
export const total: Output<number> = getVoicesOutput().total;
export const level: Promise<number> = decisionCheck({ state: "text", questions }).then(({ answers }) => answers.level.score);
export const emulator: Promise<Emulator> = startEmulator({ voiceQuota: 10 });
`;

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
  put(folder, "package.json", "{}");
  put(folder, "index.ts", program);
  const compilers = ["oldest@npm:typescript@5.0", "newest@npm:typescript@latest"];
  const packages = [pack(folder, "--ignore-scripts"), "@pulumi/pulumi", "@types/node@20", ...compilers];
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], {
    cwd: folder,
    stdio: "pipe",
  });
});

test.each([
  ["oldest", "commonjs", "node10"],
  ["oldest", "node16", "node16"],
  ["newest", "nodenext", "nodenext"],
  ["newest", "esnext", "bundler"],
])("the %s TypeScript compiles a program with module %s and moduleResolution %s", (compiler, module, resolution) => {
  const options = ["--module", module, "--moduleResolution", resolution, "--target", "es2022", "--types", "node"];
  const args = ["--noEmit", "--strict", "--skipLibCheck", "false", ...options, "index.ts"];
  const tsc = join("node_modules", compiler, "bin", "tsc");
  const { stdout, stderr, error } = spawnSync(process.execPath, [tsc, ...args], { cwd: folder, encoding: "utf8" });
  expect([error, stderr]).toEqual([undefined, ""]);
  // The oldest compiler takes `bundler` for a module system in which the types of gRPC, which Pulumi's SDK brings, are wrong.
  const lines = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("node_modules/@grpc/"));
  expect(lines).toEqual([]);
});
