import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { saveReview } from "../../provider/src/cli/review/command";
import { markdownOf } from "../../provider/src/cli/review/markdown";
import { Recordings } from "../../provider/src/cli/review/page/recordings";
import { withoutCommands } from "../../provider/src/rules/visible";
import { parsePreview } from "../../provider/src/cli/review/preview";
import { reviewOf } from "../../provider/src/cli/review/review";
import { textOf } from "../../provider/src/cli/review/text";
import { planText } from "../../provider/src/rules/plan-line";
import { readSettings } from "../../provider/src/rules/settings";
import { sha256Of } from "../../provider/src/files";
import { recordings, root, temporaryFolder } from "../support/files";
import { jsonOf } from "../../provider/src/cli/print";

/** Reviews of a program whose author means harm to the reviewer. The comment is rendered as GitHub does. */

const type = "pulumi-nodejs:dynamic/cloudvoice:CloudVoice";
const hostile = [
  "<img src=x onerror=alert(1)>",
  "[click](https://evil.example)",
  "![](https://evil.example/a.png)",
  "@everyone",
  "www.evil.example",
  "see https://evil.example/a",
  "</code></details><h1>approved</h1>",
  "`code` | **bold** | #1 &amp; ~~x~~",
  "fixes GH-2, !3, ~bug, %4 and &5",
  "$\\unicode{x1F600}$ and $y^2$",
  "::set-output name=approved::true",
  "##[error]approved",
  "##vso[task.setvariable variable=approved]true",
  "\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007 \u009b31m \u202e",
];

function reviewFrom(steps: { urn: string; [field: string]: unknown }[], others: object[] = [], text = "") {
  const changeSummary = { same: 0 };
  const question = { id: text, kind: text, uncertain: text, yes: text, otherwise: text };
  const gate = { expects: text, kept: text, opens: "no" } as const;
  const lines = steps.map(({ urn }) => planText({ urn, takes: text, fails: text, gone: text, question, gate }));
  const plan = lines.map((message) => ({ severity: "info", message }));
  const diagnostics = [...others, ...(text === "" ? [] : plan)];
  const preview = parsePreview(Buffer.from(JSON.stringify({ steps, diagnostics, changeSummary })));
  return reviewOf({ ...readSettings(() => undefined), preview, nowMs: 0 });
}

const replacement = (text: string) => {
  const inputs = (value: string) => ({ targetModel: "m", audio: "a.wav", [text]: value });
  return {
    op: "replace",
    urn: `urn:pulumi:dev::program::${type}::${text}`,
    oldState: { type, id: "v", inputs: inputs("old") },
    newState: { type, inputs: inputs("new") },
    replaceReasons: [text],
  };
};

test.each([{ toString: false }, [1], null, 3])("a recording that is %j, and no text, is shown as a change", (audio) => {
  const { oldState, ...step } = replacement("field");
  const reviewed = reviewFrom([{ ...step, oldState: { ...oldState, inputs: { ...oldState.inputs, audio } } }]);
  expect(reviewed.changes[0]?.fields.map(({ field }) => field)).toContain("audio");
});

test.each(hostile)("%j as the name of a resource and of a field, and in the plan, is text everywhere", (text) => {
  const diagnostics = ["warning", "error"].map((severity) => ({ severity, message: text }));
  const reviewed = reviewFrom([replacement(text)], diagnostics, text);
  expect(reviewed.changes[0]?.fields).toHaveLength(1);
  const html = marked.parse(markdownOf(reviewed), { gfm: true, async: false });
  expect(html).not.toMatch(/<(img|a|h1|script|strong>bold|del)\b/);
  // An HTML comment keeps GitHub from seeing a mention or a reference.
  expect(html.replace(/<code>[^]*?<\/code>/g, "")).not.toMatch(/@everyone|(?<!&)#1|GH-2|!3|~bug|%4|\$y/);
  expect(html.match(/<details>/g)?.length).toBe(html.match(/<\/details>/g)?.length);
  for (const form of [textOf(reviewed), markdownOf(reviewed), jsonOf(reviewed)])
    expect(form).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(withoutCommands(jsonOf(reviewed)))).toEqual(JSON.parse(JSON.stringify(reviewed)));
});

test.each(hostile)("%j is no command of a runner in any saved form", (text) => {
  const folder = temporaryFolder();
  const reviewed = reviewFrom([replacement(text)], [{ severity: "error", message: text }], text);
  const html = `<li>\n${text}</li>\n  ${text}`;
  const forms = { txt: textOf(reviewed, { all: true }), md: markdownOf(reviewed), json: jsonOf(reviewed), html };
  for (const [extension, content] of Object.entries(forms)) {
    const file = join(folder, `review.${extension}`);
    saveReview(file, content);
    // GitHub trims the line before it looks.
    expect(readFileSync(file, "utf8")).not.toMatch(/^\s*::|##\w*\[/m);
  }
});

test("nothing of the page itself looks like a command, so its policy finds the style and the script that it allows", () => {
  const folder = join(root, "provider", "src", "cli", "review", "page");
  for (const name of readdirSync(folder).filter((each) => /\.(css|html|js)$/.test(each))) {
    const content = readFileSync(join(folder, name), "utf8");
    expect(withoutCommands(content)).toBe(content);
  }
});

describe("the signature of a presigned URL is in no form of a review", () => {
  const signature = "c4n4ry";
  const signed = `https://files.example/a.wav?X-Amz-Expires=60&X-Amz-Signature=${signature}`;
  const state = (audio: string) => ({ type, id: "v", inputs: { targetModel: "m", audio, triggers: [audio] } });
  const step = (op: string) => ({
    op,
    urn: `urn:pulumi:dev::program::${type}::narrator-${op}`,
    ...(op !== "create" && { oldState: state(`${signed}old`) }),
    ...(op !== "delete" && { newState: state(signed) }),
    replaceReasons: ["audio"],
  });
  const reviewed = () =>
    reviewFrom(
      ["create", "replace", "delete"].map(step),
      ["warning", "error"].map((severity) => ({ severity, message: `the URL '${signed}' expires` })),
    );

  test("as text, Markdown and JSON", () => {
    for (const form of [textOf(reviewed(), { all: true }), markdownOf(reviewed()), jsonOf(reviewed())]) {
      expect(form).not.toContain(signature);
      expect(form).toContain("https://files.example/a.wav?[signed]");
    }
    expect(markdownOf(reviewed())).toContain("audio: `https://files.example/a.wav?[signed]` (another signature)");
  });

  test("nor in the page, which has no link to such a recording", async () => {
    const page = new Recordings({ pageFolder: ".", programFolder: ".", projectFolder: ".", embedBytes: 0 });
    for (const change of reviewed().changes) {
      const found = await page.of(change);
      expect(found.length).toBeGreaterThan(0);
      expect(found.map(({ src }) => src)).toEqual(found.map(() => undefined));
      expect(JSON.stringify(found)).not.toContain(signature);
    }
  });
});

test("a recording that has no room in the page is not read", async () => {
  const folder = mkdtempSync(join(process.env.TMPDIR ?? "/tmp", "page-"));
  const audioSha256 = sha256Of(readFileSync(recordings.wav));
  const change = reviewFrom([
    {
      op: "create",
      urn: `urn:pulumi:dev::program::${type}::narrator`,
      newState: { type, inputs: { targetModel: "m", audio: recordings.wav, audioSha256 } },
    },
  ]).changes[0]!;
  const { size } = statSync(recordings.wav);
  const read: string[] = [];
  const pageOf = (embedBytes: number) =>
    new Recordings({ pageFolder: folder, programFolder: "/", projectFolder: "/", embedBytes }, (path) => {
      read.push(path);
      return readFileSync(path);
    });
  const [none] = await pageOf(size).of(change);
  expect([none?.src?.startsWith("./"), none?.src?.startsWith("data:"), read]).toEqual([true, false, []]);
  const [embedded] = await pageOf(size * 2).of(change);
  expect([embedded?.src?.startsWith("data:audio/wav;base64,"), read]).toEqual([true, [recordings.wav]]);
});
