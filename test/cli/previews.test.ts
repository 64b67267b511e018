import { readFileSync } from "node:fs";
import { join } from "node:path";
import { markdownOf } from "../../provider/src/cli/review/markdown";
import { parsePreview, type Preview } from "../../provider/src/cli/review/preview";
import { textOf } from "../../provider/src/cli/review/text";
import { exitCodeOf } from "../../provider/src/cli/review/review";
import { alarms } from "../../provider/src/cli/review/words";
import { planText } from "../../provider/src/rules/plan-line";
import { missingSettings, readSettings } from "../../provider/src/rules/settings";
import { review } from "../support/review-steps";

/** Output of `pulumi preview --json` that is not that of a preview which ended well. */

const golden = readFileSync(join(__dirname, "golden", "preview.json"), "utf8");

describe("parsePreview accepts JSON", () => {
  const json = JSON.stringify({ steps: [], changeSummary: { same: 1 } });
  test.each<[string, Buffer]>([
    ["alone", Buffer.from(json)],
    [
      "with the lines of `npm run` before and after it",
      Buffer.from(`\n> pulumi\n> tsx tools/pulumi.ts preview --json\n\n${json}\nEmulator: no call\n`),
    ],
    [
      "with lines of JSON before it",
      Buffer.from(`{"level":"info"}\n{"level":"warn"}\n${JSON.stringify(JSON.parse(json), null, 4)}\n`),
    ],
    [
      "with braces after it",
      Buffer.from(`${JSON.stringify(JSON.parse(json), null, 4)}\nEmulator: {"calls":0} and so on }\n`),
    ],
    ["with a byte order mark", Buffer.from(`\ufeff${json}`)],
    ["in the UTF-16 of PowerShell", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(json, "utf16le")])],
  ])("%s", (_, bytes) => {
    expect(parsePreview(bytes)).toMatchObject({ steps: [], errors: [], whole: false });
  });

  test("with values nested as deeply as programs have them", () => {
    const inputs = JSON.parse(`{"a": ${"[".repeat(400)}${"]".repeat(400)}}`) as object;
    const step = { op: "same", urn: "urn:pulumi:dev::p::t::a", newState: { urn: "u", type: "t", inputs } };
    expect(parsePreview(Buffer.from(JSON.stringify({ steps: [step], changeSummary: { same: 1 } }))).errors).toEqual([]);
  });

  test.each<[string, string]>([
    ["", "no complete JSON object"],
    ["{", "no complete JSON object"],
    [json.slice(0, -2), "no complete JSON object"],
    ["[]", "no complete JSON object"],
    ["{}", "neither steps nor diagnostics"],
    [`{"steps": 5}`, "steps"],
    // As the engine streams events.
    [
      `{"sequence":0,"timestamp":1795280726,"preludeEvent":{"config":{}}}\n`,
      "PULUMI_ENABLE_STREAMING_JSON_PREVIEW=false",
    ],
    [`{"steps": [{"op": 1}]}`, "steps"],
    [`{"steps": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`, "steps"],
  ])("and rejects: %s", (text, message) => {
    expect(() => parsePreview(Buffer.from(text))).toThrow(message);
  });

  test("and rejects output that was cut anywhere", () => {
    for (let length = 0; length < golden.length - 2; length += 97)
      expect(() => parsePreview(Buffer.from(golden.slice(0, length)))).toThrow(/no complete JSON object/);
  });
});

describe("a review ends with 1, and says why, of a preview", () => {
  const parse = (digest: object, failure?: string) => parsePreview(Buffer.from(JSON.stringify(digest)), failure);
  const stackStep = { op: "same", urn: "urn:pulumi:dev::program::pulumi:pulumi:Stack::program-dev" };
  const ended = { steps: [stackStep], changeSummary: { same: 1 } };
  const yaml = (text: string) => ({ severity: "info#err", message: text });
  const voice = parsePreview(Buffer.from(golden)).steps.filter(({ urn }) => urn.includes("CloudVoice"))[0];

  test.each<[what: string, of: () => Preview, why: RegExp]>([
    [
      "that ended before its first step, because the host of the language is missing",
      () => parse({}, "`pulumi preview` failed: error: failed to load language plugin nosuch"),
      /failed to load language plugin nosuch/,
    ],
    [
      "that failed and names no reason",
      () => parse(ended, "`pulumi preview` failed: Command failed"),
      /Command failed/,
    ],
    [
      "whose program YAML refused, which it reports with another severity",
      () => parse({ ...ended, diagnostics: [yaml("\u001b[31mError\u001b[0m: Property languge does not exist\n\n")] }),
      /^Error: Property languge does not exist$/,
    ],
    [
      "that failed, and whose reason is on the error output of the program",
      () => parse({ ...ended, diagnostics: [yaml("no module numpy\n")] }, "`pulumi preview` failed: Command failed"),
      /^no module numpy$/,
    ],
    [
      "whose program in Python raised an error",
      () => {
        const traceback = `Traceback:\n  File "main.py", line 2\n    voice(a, b^2)\n    ~~~~~^^^^^^^^\nTypeError: no b\n`;
        return parse({ ...ended, diagnostics: [{ severity: "error", message: traceback }] });
      },
      /^Traceback: File "main.py", line 2 voice\(a, b\^2\) TypeError: no b$/,
    ],
    ["without a summary of the changes", () => parse({ steps: [stackStep] }), /no summary of its changes/],
    [
      "that has fewer steps than it counts",
      () => parse({ ...ended, changeSummary: { same: 1, create: 2 } }),
      /counts 2 resources to create, and lists 0/,
    ],
    [
      "with an operation that is not known",
      () => parse({ ...ended, steps: [{ ...voice, op: "transmute" }] }),
      /transmute/,
    ],
    [
      "with a message of a severity that is not known",
      () => parse({ ...ended, diagnostics: [{ severity: "fatal", message: "no memory" }] }),
      /^no memory$/,
    ],
    [
      "with an error without a text",
      () => parse({ ...ended, diagnostics: [{ severity: "error", message: " \n" }] }),
      /an error without a text/,
    ],
  ])("%s", (_, of, why) => {
    const reviewed = review([], { preview: of(), limits: { cost: 0 } });
    expect(exitCodeOf({ ...reviewed, changes: [], charge: { ...reviewed.charge, atMost: 0 } })).toBe(1);
    expect(reviewed).toMatchObject({
      complete: false,
      errors: expect.arrayContaining([expect.stringMatching(why)]) as unknown,
    });
    const reason = reviewed.errors.find((error) => why.test(error)) ?? "";
    for (const form of [textOf(reviewed), markdownOf(reviewed)]) {
      expect(form).toContain(reason);
      expect(form).not.toContain("nothing to change");
    }
  });

  test("but with 0 of one that ended well and only printed to its error output", () => {
    const reviewed = review([], { preview: parse({ ...ended, diagnostics: [yaml("DeprecationWarning: punycode")] }) });
    expect([reviewed.errors, exitCodeOf(reviewed)]).toEqual([[], 0]);
    expect(reviewed.notes).toEqual(["DeprecationWarning: punycode"]);
  });

  test("that found no key or no address, although the preview ended well", () => {
    const fails = missingSettings(readSettings(() => undefined)) ?? "";
    const diagnostics = [{ severity: "info", message: planText({ urn: "", fails }) }];
    const reviewed = review([], { preview: parse({ ...ended, diagnostics }) });
    expect(exitCodeOf(reviewed)).toBe(1);
    expect(alarms(reviewed)[0]).toMatch(
      /^The update will fail: no address of the service and no API key are set\. Run/,
    );
  });
});

test.each<[string, () => string]>([
  [
    "very many messages",
    () => {
      const diagnostics = Array.from({ length: 50_000 }, (_, index) => ({
        severity: "error",
        message: `${"e".repeat(100)}${index}`,
      }));
      return JSON.stringify({ steps: [], changeSummary: {}, diagnostics });
    },
  ],
  ["very many lines that begin an object", () => `${'{"a":[\n'.repeat(50_000)}}`],
])("%s take seconds, and not minutes", (_, preview) => {
  const before = process.cpuUsage();
  try {
    parsePreview(Buffer.from(preview()));
  } catch (error) {
    expect((error as Error).message).toContain("it contains no complete JSON object");
  }
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(5);
});
