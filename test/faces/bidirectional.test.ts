import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { marked } from "marked";
import type { Browser, Page } from "playwright-core";
import { markdownOf } from "../../provider/src/cli/review/markdown";
import { parsePreview } from "../../provider/src/cli/review/preview";
import { reviewOf } from "../../provider/src/cli/review/review";
import { textOf } from "../../provider/src/cli/review/text";
import { readSettings } from "../../provider/src/rules/settings";
import { cloudvoice } from "../support/cloudvoice";
import { hasBrowser, launchBrowser, newPage } from "../support/browser";
import { put, temporaryFolder } from "../support/files";

/** Texts that are written from right to left stay in their places: what was is shown before what will be. */

const inBrowser = hasBrowser ? describe : describe.skip;
const type = "pulumi-nodejs:dynamic/cloudvoice:CloudVoice";

function previewFrom(cases: Case[]): string {
  const steps = cases.map(([name, old, fresh, later]) => {
    const inputs = (text: string, audio: string) => ({ targetModel: "m", audio, text });
    return {
      op: "replace",
      urn: `urn:pulumi:dev::program::${type}::${name}`,
      oldState: { type, id: `voice-of-${name}`, inputs: inputs(old, "a.wav") },
      newState: { type, inputs: inputs(fresh, later) },
      replaceReasons: ["text", "audio"],
    };
  });
  return JSON.stringify({ steps, diagnostics: [], changeSummary: { same: 0 } });
}

type Case = [name: string, old: string, fresh: string, later: string];
/** Hebrew, Arabic, with numbers, in each text, and with English behind it. */
const cases: Case[] = [
  ["hebrew", "שלום", "עולם", "b.wav"],
  ["arabic", "مرحبا", "العالم", "b.wav"],
  ["numbers", "1 שלום", "2 עולם!", "b.wav"],
  ["קריין", "בוקר", "ערב", "קול.wav"],
  ["english", "לילה", "world", "b.wav"],
];

/** What stands in a line, from the left. */
const listsOf = ([, old, fresh, later]: Case) => [
  ["text: ", old, "→", fresh],
  ["audio: ", "a.wav", "→", later],
];

inBrowser("in a browser", () => {
  let browser: Browser;
  let page: Page;
  const folder = temporaryFolder();
  beforeAll(async () => {
    browser = await launchBrowser();
    page = await newPage(browser, { viewport: { width: 2400, height: 900 } });
  });
  afterAll(() => browser.close());

  async function show(html: string): Promise<void> {
    const file = put(
      folder,
      "shown.html",
      html.startsWith("<!") ? html : `<!doctype html><meta charset="utf-8">${html}`,
    );
    await page.goto(pathToFileURL(file).href);
  }

  /** In the first of these elements that has all texts, each ends before the next one begins. */
  async function expectInOrder(within: string, texts: string[]): Promise<void> {
    const places = await page.evaluate<[left: number, right: number][]>(
      `(() => {
        const texts = ${JSON.stringify(texts)};
        const whole = [...document.querySelectorAll(${JSON.stringify(within)})].find((each) =>
          texts.every((text) => each.textContent.includes(text)));
        const walker = document.createTreeWalker(whole, NodeFilter.SHOW_TEXT);
        const nodes = [];
        while (walker.nextNode()) nodes.push([walker.currentNode, nodes.length === 0 ? 0 : nodes.at(-1)[2], 0]) &&
          (nodes.at(-1)[2] = nodes.at(-1)[1] + walker.currentNode.data.length);
        const point = (at, isEnd) => nodes.find(([, from, to]) => (isEnd ? at <= to : at < to) && at >= from);
        let from = 0;
        return texts.map((text) => {
          const at = whole.textContent.indexOf(text, from);
          from = at + text.length;
          const range = document.createRange();
          const [start, end] = [point(at, false), point(from, true)];
          range.setStart(start[0], at - start[1]);
          range.setEnd(end[0], from - end[1]);
          const { left, right } = range.getBoundingClientRect();
          return [left, right];
        });
      })()`,
    );
    for (const [at, [left, right]] of places.entries()) {
      expect(right).toBeGreaterThan(left);
      const [nextLeft] = places[at + 1] ?? [Infinity];
      expect(right).toBeLessThanOrEqual(nextLeft + 1);
    }
  }

  const review = () => {
    const account = { unknown: "not asked" };
    const preview = parsePreview(Buffer.from(previewFrom(cases)));
    return reviewOf({ ...readSettings(() => undefined), preview, account, nowMs: 0 });
  };

  test("on the page", async () => {
    put(folder, "Pulumi.yaml", "name: program\nruntime: nodejs\n");
    put(folder, "preview.json", previewFrom(cases));
    const env = { PATH: process.env.PATH, CLOUDVOICE_BASE_URL: "http://127.0.0.1:9", CLOUDVOICE_API_KEY: "none" };
    const args = ["review", "preview.json", "--save", "review.html"];
    expect((await cloudvoice({ folder, env: { ...env, CLOUDVOICE_MAX_RETRIES: "0" } }, args)).code).toBe(1);
    await show(readFileSync(join(folder, "review.html"), "utf8"));
    for (const texts of cases) for (const list of listsOf(texts)) await expectInOrder(".what", list);
  });

  test("in a comment, as GitHub shows it", async () => {
    const html = marked.parse(markdownOf(review()), { gfm: true, async: false });
    const shown = html.replaceAll("<details>", "<details open>");
    await show(`<style>details{display:block}</style><div dir="auto">${shown}</div>`);
    for (const texts of cases) for (const list of listsOf(texts)) await expectInOrder("li", list);
  });

  test("in a terminal that orders letters", async () => {
    const lines = textOf(review(), { width: 400 }).split("\n");
    await show(lines.map((line) => `<pre style="unicode-bidi: plaintext">${line}</pre>`).join(""));
    for (const [name, old, fresh] of cases)
      for (const list of [
        ["voice", name, "changed"],
        ["text: ", old, "→", fresh],
      ])
        await expectInOrder("pre", list);
  });
});
