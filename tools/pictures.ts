/**
 * `npm run pictures`: makes the pictures of docs/images. It runs the example with the real engine and the emulator,
 * changes the example, and shows the review of the change in each form: the page and the comment are photographed in
 * Chromium, and the text becomes a drawing.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium as playwright } from "playwright-core";
import { type Emulator, startEmulator } from "pulumi-cloudvoice/emulator";
import { chromium } from "./browser/chromium";
import { endOf } from "./end-of";
import { root } from "./local";
import { commentPage } from "./pictures/comment";
import { terminalPicture } from "./pictures/terminal";
import { Stack } from "./stack";

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cloudvoice-pictures-"));
  const emulator = await startEmulator();
  try {
    const text = await review(folder, emulator);
    const images = join(root, "docs", "images");
    mkdirSync(images, { recursive: true });
    writeFileSync(
      join(images, "terminal.svg"),
      terminalPicture("npx --no-install pulumi-cloudvoice review --stack prod", text),
    );
    writeFileSync(join(images, "terminal.txt"), text);
    writeFileSync(join(folder, "comment.html"), commentPage(readFileSync(join(folder, "review.md"), "utf8")));
    await photograph(folder, images);
  } finally {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Provisions the example, changes it in every way, saves the review as a page and as Markdown, and returns its text. */
async function review(folder: string, emulator: Emulator): Promise<string> {
  cpSync(join(root, "examples", "catalog"), folder, { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "Pulumi.yaml"), "name: voices\nruntime: nodejs\n");
  const settings = { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.1", CLOUDVOICE_VOICE_QUOTA: "10" };
  const stack = await Stack.of(folder, emulator, { name: "prod", settings });
  const languages = (...names: string[]) => {
    const values = names.flatMap((name, index) => ["--plaintext", `voices:languages[${index}]=${name}`]);
    return stack.ok(stack.pulumi("config", "set-all", "--path", ...values));
  };

  emulator.seedVoices("default", 3);
  await languages("en", "fr");
  await stack.ok(stack.up());

  await languages("en", "de", "es");
  const change = (file: string, from: string, to: string) => {
    const text = readFileSync(join(folder, file), "utf8");
    if (!text.includes(from)) throw new Error(`${file} of the example no longer contains: ${from}`);
    writeFileSync(join(folder, file), text.replace(from, to));
  };
  const recording = readFileSync(join(folder, "audio", "narrator-en.wav"));
  writeFileSync(join(folder, "audio", "narrator-en-2.wav"), firstSeconds(recording, 12));
  change("index.ts", "audio/narrator-en.wav", "audio/narrator-en-2.wav");
  change("index.ts", "at dusk", "at dawn");
  change("texts.md", "every hour", "every half hour");

  const cli = join(root, "provider", "dist", "cli.js");
  const args = [cli, "review", "--exit-code", "--save", "review.html", "--save", "review.md"];
  const child = spawn(process.execPath, args, { cwd: folder, env: stack.env, stdio: ["ignore", "pipe", "inherit"] });
  const { code, stdout } = await endOf(child);
  if (code !== 2) throw new Error(`cloudvoice review exited with code ${code}; 2 is expected, which means changes.`);
  return stdout;
}

/** The beginning of a PCM WAV file with the usual header of 44 bytes. */
function firstSeconds(file: Buffer, seconds: number): Buffer {
  const dataBytes = Math.round(seconds * file.readUInt32LE(28));
  const cut = Buffer.from(file.subarray(0, 44 + dataBytes));
  cut.writeUInt32LE(36 + dataBytes, 4);
  cut.writeUInt32LE(dataBytes, 40);
  return cut;
}

async function photograph(folder: string, images: string): Promise<void> {
  const executablePath = chromium();
  if (executablePath === undefined) throw new Error("Chromium was not found. Install it, or set CHROMIUM to its path.");
  const browser = await playwright.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light" });
    await page.goto(pathToFileURL(join(folder, "review.html")).href);
    // Chromium does not draw rows outside of the window.
    const height = await page.evaluate<number>("document.querySelector('main').offsetHeight");
    await page.setViewportSize({ width: 1440, height });
    await page.locator(".rows").last().scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(images, "review.png") });

    const comment = await browser.newPage({ viewport: { width: 920, height: 600 }, colorScheme: "light" });
    await comment.goto(pathToFileURL(join(folder, "comment.html")).href);
    await comment.locator("body").screenshot({ path: join(images, "comment.png") });
  } finally {
    await browser.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
