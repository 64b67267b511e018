import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium as playwright, type Page } from "playwright-core";
import { chromium } from "../../tools/browser/chromium";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { copy, put, recordings, root, temporaryFolder } from "../support/files";

/** Opens the HTML form of a review from a file in a real browser, as a reviewer does. */

const executablePath = chromium();
// The command that installs a browser reports a failure. With CI set, a missing browser fails these tests.
const inBrowser = executablePath !== undefined || process.env.CI !== undefined ? describe : describe.skip;

inBrowser("the HTML page of a review", () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  const problems: string[] = [];
  const env = {
    PATH: process.env.PATH,
    CLOUDVOICE_BASE_URL: "http://127.0.0.1:9",
    CLOUDVOICE_API_KEY: "none",
    CLOUDVOICE_MAX_RETRIES: "0",
  };

  beforeAll(async () => {
    browser = await playwright.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: ["--no-sandbox"],
    });
    folder = temporaryFolder();
    writeFileSync(join(folder, "Pulumi.yaml"), "name: program\nruntime: nodejs\nmain: program\n");
    for (const [from, name] of [
      [recordings.wav, "a.wav"],
      [recordings.mp3, "b.mp3"],
      [recordings.m4a, "c.m4a"],
    ] as const)
      copy(from, join(folder, "program"), name);
    copy(join(root, "test", "cli", "golden", "preview.json"), folder, "preview.json");
  });
  afterAll(() => browser.close());

  async function open(
    args: string[] = [],
    colorScheme: "light" | "dark" = "light",
    environment: NodeJS.ProcessEnv = env,
  ) {
    const run = await cloudvoice({ folder, env: environment }, [
      "review",
      "preview.json",
      "--save",
      "review.html",
      ...args,
    ]);
    expect(run.code).toBe(2);
    page = await browser.newPage({ colorScheme });
    problems.length = 0;
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("dialog", (dialog) => {
      problems.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(pathToFileURL(join(folder, "review.html")).href);
  }
  afterEach(() => page.close());

  const shown = () => page.locator(".row:visible .name").allTextContents();
  const row = (name: string) =>
    page.locator(".row", { has: page.locator(".name", { hasText: new RegExp(`^${name}$`) }) });
  const summary = (name: string) => row(name).locator("summary");

  test("shows the numbers, and shows the program's texts as text", async () => {
    await open();
    expect(await page.locator("#counts").textContent()).toContain(
      "4 voices to create, 1 to adopt, 3 to replace, 1 to update, 1 to delete",
    );
    expect(await page.locator("#charge").textContent()).toContain("at most $0.07 for 7 voices");
    expect(await shown()).toContain("evil | `</td><script>alert(1)</script>` @everyone");
    expect(await page.locator("script").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test("runs no script but its own, even if one is injected", async () => {
    await open();
    await page.evaluate(`
      const script = document.createElement("script");
      script.textContent = "document.title = 'broken out'";
      document.body.append(script);`);
    expect(await page.title()).toBe("Review of program/dev");
    expect(problems.join()).toMatch(/Content Security Policy/);
  });

  test("plays old and new recordings from the working copy", async () => {
    await open();
    expect(await page.locator("audio").count()).toBe(0);
    await summary("tight").click();
    const players = await row("tight").locator("audio").all();
    expect(await row("tight").locator("figcaption").allTextContents()).toEqual([
      "now: a.wav (13.7 s, df4ac9a)",
      "after: b.mp3 (14.3 s, 5f46855)",
    ]);
    expect(await row("tight").locator("svg.wave").count()).toBe(1);
    expect(await Promise.all(players.map((player) => player.getAttribute("src")))).toEqual([
      "./program/a.wav",
      "./program/b.mp3",
    ]);
    // Every Chromium plays WAV. The other formats need codecs that some builds lack.
    const seconds = await page.evaluate(`new Promise((resolve, reject) => {
      const player = document.querySelector("audio[src$='a.wav']");
      player.onloadedmetadata = () => resolve(player.duration);
      player.onerror = () => reject(player.error);
      player.load();
    })`);
    expect(seconds).toBeCloseTo(13.74, 1);
  });

  test("embeds recordings only with --embed-audio, up to its total, and calls them personal data", async () => {
    await open();
    expect(await page.content()).not.toMatch(/data:audio|personal data/);
    await page.close();
    await open(["--embed-audio", "0.3"]);
    expect(await page.locator(".alarm").allTextContents()).toContainEqual(
      expect.stringMatching(
        /This page contains \d recordings? \(0\.[12] MB\) of people's voices\. They are personal data/,
      ),
    );
    expect(await page.content()).toContain("data:audio/");
    expect(await page.locator("a.recording[href^='./']").count()).toBeGreaterThan(0);
  });

  test("can be searched and filtered with the keyboard", async () => {
    await open();
    const all = (await shown()).length;
    await page.keyboard.press("/");
    await page.keyboard.type("catalog narr");
    expect(await shown()).toEqual(["catalog-narrator"]);
    expect(await page.locator("#shown").textContent()).toBe(`1 of ${all} shown`);
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Tab");
    await page.keyboard.type("image");
    expect((await shown()).sort()).toEqual(["cover", "poster"]);
    await page.keyboard.press("Tab");
    await page.keyboard.type("replace");
    expect(await shown()).toEqual(["cover"]);
    // Past the sort order and the button, to the group and its only row.
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press("Tab");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    expect(await page.locator(".row[open] .name").allTextContents()).toEqual(["cover"]);
  });

  test("follows the reader's colour scheme", async () => {
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await open();
    expect(await background()).toBe("rgb(255, 255, 255)");
    await page.close();
    await open([], "dark");
    expect(await background()).toBe("rgb(13, 17, 23)");
  });

  test("shows the quota as a bar, and shows saved pictures", async () => {
    const emulator = await emulate();
    emulator.seedVoices("default", 40);
    put(
      join(folder, "program"),
      "covers/cover-863a-1.png",
      Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
        "base64",
      ),
    );
    await open([], "light", {
      ...env,
      CLOUDVOICE_BASE_URL: emulator.url,
      CLOUDVOICE_API_KEY: emulator.apiKey,
      CLOUDVOICE_VOICE_QUOTA: "50",
    });
    // This account has none of the preview's voices. So nothing is deleted, the unchanged voice is missing and created
    // again, and all new voices are added to the 40.
    expect(await page.locator("svg.bar").getAttribute("aria-label")).toBe("40 now, 48 at the peak, 48 after, of 50");
    await summary("cover").click();
    expect(await row("cover").locator("figcaption").allTextContents()).toEqual([
      "now: covers/cover-863a-1.png",
      "after",
    ]);
    await row("cover").locator("a.picture").click();
    const width =
      "document.querySelector('dialog[open] img').decode().then(() => document.querySelector('dialog img').naturalWidth)";
    expect(await page.evaluate(width)).toBe(1);
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
