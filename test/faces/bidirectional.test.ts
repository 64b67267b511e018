import { readFileSync, writeFileSync } from "node:fs";
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
import { hasBrowser, launchBrowser } from "../support/browser";
import { put, temporaryFolder } from "../support/files";

/** Texts that are written from right to left stay in their places: what was is shown before what will be. */

const inBrowser = hasBrowser ? describe : describe.skip;
const type = "pulumi-nodejs:dynamic/cloudvoice:CloudVoice";

function previewFrom(name: string, old: string, fresh: string, later: string): string {
  const inputs = (text: string, audio: string) => ({ targetModel: "m", audio, text });
  const step = {
    op: "replace",
    urn: `urn:pulumi:dev::program::${type}::${name}`,
    oldState: { type, id: "v", inputs: inputs(old, "a.wav") },
    newState: { type, inputs: inputs(fresh, later) },
    replaceReasons: ["text", "audio"],
  };
  return JSON.stringify({ steps: [step], diagnostics: [], changeSummary: { same: 0 } });
}

function reviewFrom(...texts: Parameters<typeof previewFrom>) {
  const preview = parsePreview(Buffer.from(previewFrom(...texts)));
  const account = { unknown: "not asked" };
  return reviewOf({ ...readSettings(() => undefined), preview, account, nowMs: 0 });
}

const cases: [script: string, name: string, old: string, fresh: string, later: string][] = [
  ["Hebrew", "narrator", "שלום", "עולם", "b.wav"],
  ["Arabic", "narrator", "مرحبا", "العالم", "b.wav"],
  ["Hebrew with numbers", "narrator", "1 שלום", "2 עולם!", "b.wav"],
  ["Hebrew in each text", "קריין", "שלום", "עולם", "קול.wav"],
  ["Hebrew and then English", "narrator", "שלום", "world", "b.wav"],
];

/** What stands in a line, from the left. */
const listsOf = (_: string, old: string, fresh: string, later: string) => [
  ["text: ", old, "→", fresh],
  ["audio: ", "a.wav", "→", later],
];

inBrowser("in a browser", () => {
  let browser: Browser;
  let page: Page;
  const folder = temporaryFolder();
  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 2400, height: 900 } });
  });
  afterAll(() => browser.close());

  /** Where each of these texts begins and ends in the first line that has all of them, from the left. */
  async function placesOf(html: string, within: string, texts: string[]): Promise<[left: number, right: number][]> {
    const file = join(folder, "shown.html");
    writeFileSync(file, html);
    await page.goto(pathToFileURL(file).href);
    return page.evaluate(
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
  }

  const expectInOrder = (places: [number, number][]) => {
    for (const [at, [left, right]] of places.entries()) {
      expect(right).toBeGreaterThan(left);
      const [nextLeft] = places[at + 1] ?? [Infinity];
      expect(right).toBeLessThanOrEqual(nextLeft + 1);
    }
  };

  test.each(cases)("%s on the page", async (_, ...texts) => {
    put(folder, "Pulumi.yaml", "name: program\nruntime: nodejs\n");
    put(folder, "preview.json", previewFrom(...texts));
    const env = { PATH: process.env.PATH, CLOUDVOICE_BASE_URL: "http://127.0.0.1:9", CLOUDVOICE_API_KEY: "none" };
    const args = ["review", "preview.json", "--save", "review.html"];
    expect((await cloudvoice({ folder, env: { ...env, CLOUDVOICE_MAX_RETRIES: "0" } }, args)).code).toBe(1);
    const html = readFileSync(join(folder, "review.html"), "utf8");
    for (const list of listsOf(...texts)) expectInOrder(await placesOf(html, ".what", list));
  });

  test.each(cases)("%s in a comment, as GitHub shows it", async (_, ...texts) => {
    const html = marked.parse(markdownOf(reviewFrom(...texts)), { gfm: true, async: false });
    const shown = `<!doctype html><meta charset="utf-8"><style>details{display:block}</style><div dir="auto">${html.replaceAll("<details>", "<details open>")}</div>`;
    for (const list of listsOf(...texts)) expectInOrder(await placesOf(shown, "li", list));
  });

  test.each(cases)("%s in a terminal that orders letters", async (_, ...texts) => {
    const [name, old, fresh] = texts;
    const lines = textOf(reviewFrom(...texts), { width: 400 }).split("\n");
    for (const [wanted, of] of [
      [["voice", name, "changed"], name],
      [["text: ", old, "→", fresh], `text: `],
    ] as const) {
      const line = lines.find((each) => each.includes(of) && wanted.every((text) => each.includes(text))) ?? "";
      const shown = `<!doctype html><meta charset="utf-8"><pre style="unicode-bidi: plaintext">${line}</pre>`;
      expectInOrder(await placesOf(shown, "pre", [...wanted]));
    }
  });
});
