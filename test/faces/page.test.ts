import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { parsePreview } from "../../provider/src/cli/review/preview";
import { planText } from "../../provider/src/rules/plan-line";
import { hasBrowser, launchBrowser, newPage, playersIn } from "../support/browser";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { copy, put, recordings, root, temporaryFolder } from "../support/files";

/** Opens the HTML form of a review from a file in a real browser, as a reviewer does. */

interface Opening {
  code?: number;
  colorScheme?: "light" | "dark";
  environment?: NodeJS.ProcessEnv;
  preview?: string;
  width?: number;
}

const inBrowser = hasBrowser ? describe : describe.skip;

inBrowser("the HTML page of a review", () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  const problems: string[] = [];
  /** The saved pages, by what was asked. */
  const pages = new Map<string, string>();
  const env = { PATH: process.env.PATH };

  beforeAll(async () => {
    browser = await launchBrowser();
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
    { colorScheme = "light", environment = env, preview = "preview.json", width = 1440, code = 0 }: Opening = {},
  ) {
    const asked = JSON.stringify([args, environment, preview]);
    const file = pages.get(asked) ?? `review-${pages.size}.html`;
    if (!pages.has(asked)) {
      const run = await cloudvoice({ folder, env: environment }, ["review", preview, "--save", file, ...args]);
      expect(run.code).toBe(code);
      pages.set(asked, file);
    }
    page = await newPage(browser, { colorScheme, viewport: { width, height: width < 600 ? 740 : 900 } });
    problems.length = 0;
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("dialog", (dialog) => {
      problems.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(pathToFileURL(join(folder, file)).href);
  }
  afterEach(() => page.close());

  const shown = () => page.locator(".row:visible .name").allTextContents();
  const row = (name: string) =>
    page.locator(".row", { has: page.locator(".name", { hasText: new RegExp(`^${name}$`) }) });
  const players = (name: string) => playersIn(row(name));

  test("shows the numbers, and shows the program's texts as text", async () => {
    await open();
    expect(await page.locator("#counts").textContent()).toContain(
      "3 voices to create, 1 to adopt, 1 to take over, 3 to replace, 1 to update, 1 to delete",
    );
    expect(await page.locator("#charge").textContent()).toContain(
      "at most $0.06 for 6 voices, plus 2 image tasks and 1 decision at unknown prices",
    );
    expect((await page.locator(".tile .value").allTextContents()).slice(0, 3)).toEqual(["$0.06", "2", "1"]);
    expect(await shown()).toContain("evil | `</td><script>alert(1)</script>` @everyone");
    expect(await page.locator("script").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test.each([1440, 390])(
    "begins with what changes and what it costs, also for a single change, at %d pixels",
    async (width) => {
      const preview = JSON.parse(readFileSync(join(folder, "preview.json"), "utf8")) as ReturnType<typeof parsePreview>;
      const steps = preview.steps.filter(({ urn }) => urn.endsWith("::tight"));
      for (const { newState } of steps) newState!.inputs.audio = "https://files.example/new.wav";
      const diagnostics = [
        {
          severity: "info",
          message: planText({ urn: steps[0]!.urn, quota: { account: "0a1b2c3d", now: 400, limit: 1000 } }),
        },
      ];
      put(folder, "one.json", JSON.stringify({ steps, diagnostics, changeSummary: { replace: 1 } }));
      for (const opening of [{ preview: "one.json" }, {}]) {
        await open(["--embed-audio"], { ...opening, width });
        const first = ["#counts", ".privacy", "#charge", ".bar", "form"].map((each) =>
          page.locator(each).boundingBox(),
        );
        const tops = (await Promise.all(first)).map((box) => box!.y);
        expect(tops).toEqual([...tops].sort((one, other) => one - other));
        // The numbers of the quota are on one line.
        const numbers = await page.locator(".tile.wide .value > span").all();
        const lines = await Promise.all(numbers.map(async (each) => (await each.boundingBox())!.y));
        expect(new Set(lines).size).toBe(1);
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
        if (opening.preview === undefined) continue;
        // Nothing is downloaded before the reader plays it.
        expect(await page.locator("audio[src^='https:']").getAttribute("preload")).toBe("none");
        await page.close();
      }
    },
  );

  test("shows the rights of a change, those that have ended, and a charge in another currency", async () => {
    const preview = JSON.parse(readFileSync(join(folder, "preview.json"), "utf8")) as ReturnType<typeof parsePreview>;
    for (const { newState } of preview.steps)
      if (newState?.type.endsWith(":CloudVoice"))
        newState.inputs.rights = { holder: "<b>Jane", evidence: "file 7", until: "2020-01-31" };
    put(folder, "rights.json", JSON.stringify(preview));
    await open([], { preview: "rights.json", environment: { ...env, CLOUDVOICE_CURRENCY: "EUR" } });
    expect(await page.locator(".remarks summary").textContent()).toMatch(/^Rights that have ended: \d+$/);
    expect(await page.locator(".remarks li").first().textContent()).toMatch(/<b>Jane; file 7; until 2020-01-31$/);
    expect(await row("catalog-fresh").locator("table").textContent()).toContain(
      "rights<b>Jane; file 7; until 2020-01-31",
    );
    expect(await page.locator("#charge").textContent()).toContain("at most €0.06 for 6 voices");
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
    // Open on load, with its players.
    await row("tight").locator("audio").first().waitFor();
    const both = await players("tight");
    expect(await row("tight").locator("figcaption").allTextContents()).toEqual([
      "now: a.wav (13.7 s, df4ac9a)",
      "after: b.mp3 (14.3 s, 5f46855)",
    ]);
    expect(await Promise.all(both.map((player) => player.getAttribute("src")))).toEqual([
      "./program/a.wav",
      "./program/b.mp3",
    ]);
    expect(await both[0]!.getAttribute("preload")).toBe("metadata");
    // The player shows the length before it is played. Every Chromium plays WAV; some builds lack other formats.
    const seconds = await page.evaluate(`new Promise((resolve, reject) => {
      const player = document.querySelector("audio[src$='a.wav']");
      player.onloadedmetadata = () => resolve(player.duration);
      player.onerror = () => reject(player.error);
      if (player.readyState > 0) resolve(player.duration);
    })`);
    expect(seconds).toBeCloseTo(13.74, 1);
  });

  test("embeds recordings only with --embed-audio, and calls them personal data", async () => {
    await open();
    expect(await page.content()).not.toMatch(/data:audio|personal data/);
    await page.close();
    await open(["--embed-audio"]);
    expect(await page.locator("#counts + .privacy").textContent()).toMatch(
      /This page contains \d+ recordings? \(\d\.\d MB\) of people's voices: personal data/,
    );
    expect(await page.content()).toContain("data:audio/");
    expect(await page.locator("a.recording[href^='./']").count()).toBe(0);
    await page.close();
    await open(["--no-embed-audio"]);
    expect(await page.locator("#counts + .privacy").textContent()).toMatch(
      /run npx --no-install pulumi-cloudvoice review --embed-audio --save review\.html --stack dev/,
    );
    expect(await page.locator("a.recording:not([href^='http'])").count()).toBe(0);
    expect(await page.content()).not.toMatch(/data:audio/);
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
    expect(await page.locator(".row[open]:visible .name").allTextContents()).toEqual(["cover"]);
  });

  test("follows the reader's colour scheme", async () => {
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await open();
    expect(await background()).toBe("rgb(255, 255, 255)");
    await page.close();
    await open([], { colorScheme: "dark" });
    expect(await background()).toBe("rgb(13, 17, 23)");
  });

  test("shows the quota as a bar, and shows saved pictures", async () => {
    const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    put(join(folder, "program"), "covers/cover-863a-1.png", Buffer.from(picture, "base64"));
    await open(["--all"]);
    expect(await page.locator("svg.bar").getAttribute("aria-label")).toBe("9 now, 14 at the peak, 11 after, of 1000");
    expect(await row("cover").locator("figcaption").allTextContents()).toEqual([
      "now: covers/cover-863a-1.png",
      "after",
    ]);
    await page.locator("#fold").click();
    await row("cover").locator("a.picture").click();
    const width =
      "document.querySelector('dialog[open] img').decode().then(() => document.querySelector('dialog img').naturalWidth)";
    expect(await page.evaluate(width)).toBe(1);
    await page.keyboard.press("Escape");
    expect(await page.locator("dialog[open]").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test("draws the waveform of an embedded recording, and embeds an overwritten one from the history of Git", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: folder });
    git("init", "--quiet");
    git("add", "program/a.wav");
    git("commit", "--quiet", "--message", "a recording");
    copy(recordings.otherMp3, join(folder, "program"), "a.wav");
    await open(["--embed-audio"]);
    const sources = await Promise.all(
      (await players("tight")).map(async (player) => (await player.getAttribute("src"))?.slice(0, 15)),
    );
    expect(sources).toEqual(["data:audio/wav;", "data:audio/mpeg"]);
    const wave = row("tight").locator("svg.wave").first();
    await wave.waitFor();
    // Two paths of 120 bars, one for each part that is played or not.
    const paths = await wave.locator("path").all();
    const bars = await Promise.all(paths.map(async (path) => (await path.getAttribute("d"))?.split("M").length));
    expect(bars).toEqual([121, 121]);
    // A click plays from there. The page may have to load more of the recording first.
    await wave.click();
    const isPlayedFromThere = await page.evaluate(`new Promise((resolve) => {
      const row = [...document.querySelectorAll(".row")].find((each) => each.querySelector(".name").textContent === "tight");
      const audio = row.querySelector("audio");
      const look = () => (audio.currentTime / audio.duration >= 0.5 ? resolve(true) : setTimeout(look, 20));
      look();
    })`);
    expect(isPlayedFromThere).toBe(true);
    copy(recordings.wav, join(folder, "program"), "a.wav");
    expect(problems).toEqual([]);
  });

  describe("with a thousand changes", () => {
    const many: Opening = { preview: "many.json" };

    beforeAll(() => {
      const { steps } = parsePreview(readFileSync(join(folder, "preview.json")));
      const step = (name: string) => steps.find(({ urn }) => urn.endsWith(`::${name}`))!;
      const three = [step("tight"), step("catalog-fresh"), step("catalog-fresh")];
      const changed = Array.from({ length: 1000 }, (_, index) => {
        const { urn, newState, ...rest } = three[index % 3]!;
        const inputs = { ...newState!.inputs, ...(index === 999 && { audioSeconds: 19.5 }) };
        return { ...rest, urn: `${urn}-${index}`, newState: { ...newState, inputs } };
      });
      const quota = { account: "0a1b2c3d", now: 400, limit: 2000 };
      const diagnostics = changed.map(({ urn }) => ({ severity: "info", message: planText({ urn, quota }) }));
      put(folder, "many.json", JSON.stringify({ steps: changed, diagnostics, changeSummary: {} }));
    });

    test.each([1440, 360])("shows numbers and reasons without scrolling, at %d pixels", async (width) => {
      await open([], { ...many, width });
      expect(await page.locator(".group > summary .title").allTextContents()).toEqual([
        "666 voices to create new in the program",
        "334 voices to replace audio changed",
      ]);
      const { height } = page.viewportSize()!;
      for (const selector of ["#charge", "svg.bar", ".group:last-child > summary"]) {
        const box = await page.locator(selector).boundingBox();
        expect(box!.y + box!.height).toBeLessThan(height);
      }
      expect(await shown()).toEqual([]);
      await page.locator("#fold").click();
      expect(await page.locator(".row:visible").count()).toBe(1000);
      const { heights, overflow } = await page.evaluate<{ heights: number[]; overflow: number }>(`({
        heights: [...document.querySelectorAll(".row")].slice(0, 5).map((row) => row.offsetHeight),
        overflow: document.documentElement.scrollWidth - innerWidth,
      })`);
      expect(Math.max(...heights)).toBeLessThan(60);
      expect(overflow).toBe(0);
      expect(problems).toEqual([]);
    });

    test("opens the groups with hits while it is searched, sorts by length, and prints all groups", async () => {
      await open([], many);
      const openGroups = () => page.locator(".group[open]:visible").count();
      await page.locator("#search").fill("tight-99");
      expect(await shown()).toEqual(["tight-99", "tight-990", "tight-993", "tight-996", "tight-999"]);
      expect(await page.locator(".found").allTextContents()).toEqual(["0 of 666", "5 of 334"]);
      await page.locator("#search").fill("");
      expect(await openGroups()).toBe(0);

      await page.locator("#action").selectOption("replace");
      await page.locator("#sort").selectOption("seconds");
      expect((await shown()).slice(0, 2)).toEqual(["tight-999", "tight-0"]);
      await page.locator("#action").selectOption("");
      await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
      expect(await openGroups()).toBe(2);
      await page.evaluate("window.dispatchEvent(new Event('afterprint'))");
      expect(await openGroups()).toBe(0);
    });
  });
});

inBrowser("the emulator's own page", () => {
  test("shows the voices and deletes one", async () => {
    const emulator = await emulate();
    const [first = "", second = ""] = emulator.seedVoices("default", 2, { preferredName: "by_hand" });
    const browser = await launchBrowser();
    try {
      const page = await newPage(browser);
      await page.goto(emulator.url);
      await page.getByRole("button", { name: `Delete ${first}` }).click();
      await page.getByText("Voices in the account: 1.").waitFor();
      expect(emulator.voices().map(({ voice }) => voice)).toEqual([second]);
      expect(await page.locator("#voices tr").allTextContents()).toEqual([expect.stringContaining(second)]);
    } finally {
      await browser.close();
    }
  });
});
