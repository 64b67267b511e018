import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cloudvoice } from "../support/cloudvoice";
import { put, temporaryFolder } from "../support/files";

/** Texts that are written from right to left are isolated. Otherwise, what will be is shown before what was. */

const type = "pulumi-nodejs:dynamic/cloudvoice:CloudVoice";
/** Hebrew, Arabic, with a number, and with English behind it: `old → new`. */
const cases: [name: string, old: string, fresh: string][] = [
  ["קריין", "שלום", "עולם"],
  ["arabic", "مرحبا", "2 العالم!"],
  ["english", "לילה", "world"],
];

function previewFrom(): string {
  const steps = cases.map(([name, old, fresh]) => {
    const inputs = (text: string) => ({ targetModel: "m", audio: "a.wav", text });
    return {
      op: "replace",
      urn: `urn:pulumi:dev::program::${type}::${name}`,
      oldState: { type, id: `voice-of-${name}`, inputs: inputs(old) },
      newState: { type, inputs: inputs(fresh) },
      replaceReasons: ["text"],
    };
  });
  return JSON.stringify({ steps, diagnostics: [], changeSummary: { same: 0 } });
}

test("texts from right to left are isolated in the page, in a comment and in a terminal", async () => {
  const folder = temporaryFolder();
  put(folder, "Pulumi.yaml", "name: program\nruntime: nodejs\n");
  put(folder, "preview.json", previewFrom());
  const env = { PATH: process.env.PATH, CLOUDVOICE_BASE_URL: "http://127.0.0.1:9", CLOUDVOICE_API_KEY: "none" };
  const args = ["review", "preview.json", "--save", "review.html", "--save", "review.md", "--save", "review.txt"];
  expect((await cloudvoice({ folder, env: { ...env, CLOUDVOICE_MAX_RETRIES: "0" } }, args)).code).toBe(1);
  const saved = (form: string) => readFileSync(join(folder, `review.${form}`), "utf8");
  const [page, comment, terminal] = [saved("html"), saved("md"), saved("txt")];
  for (const each of cases) {
    const shown = (open: string, close: string, quote = "") =>
      each.map((text) => (/^[\x20-\x7e]*$/.test(text) ? quote + text + quote : open + quote + text + quote + close));
    const [, old, fresh] = shown("<bdi>", "</bdi>");
    expect(page).toContain(`<span class="name"><bdi>${each[0]}</bdi></span>`);
    expect(page).toContain(`text: ${old} → ${fresh}</span>`);
    expect(page).toContain(`<li><code><bdi>voice-of-${each[0]}</bdi></code> <bdi>${each[0]}</bdi></li>`);
    const [code, oldCode, freshCode] = shown("\u2068", "\u2069", "`");
    expect(comment).toContain(`- ${code}: text: ${oldCode} → ${freshCode}`);
    const [plain, oldText, freshText] = shown("\u2068", "\u2069");
    expect(comment).toContain(`<code>${plain}</code>`);
    expect(terminal).toContain(` ${plain} `);
    expect(terminal).toContain(`text: ${oldText} → ${freshText} `);
  }
});
