import { Invariants } from "../support/invariants";

/** Each invariant can fail: the checker reports each violation that is planted. */

const canary = "canary-5f2c81";

function after(...work: ((checker: Invariants) => void)[]): string[] {
  const checker = new Invariants();
  for (const [what, value] of [
    ["the key", `key-${canary}`],
    ["a secret prompt", `prompt of ${canary}`],
    ["a secret text", `text of ${canary}`],
    ["the signature of a URL", `X-Amz-Signature=${canary}+/`],
  ] as const)
    checker.keepSecret(what, value);
  for (const each of work) each(checker);
  return checker.take();
}

test.each([
  ["the key in an output", `authorization: key-${canary}`, "the key"],
  ["a secret prompt in an output", `the service says: prompt of ${canary}`, "a secret prompt"],
  ["a secret text in an output", `text of ${canary} does not match`, "a secret text"],
  ["a signature in an output", `https://a.example/?X-Amz-Signature=${canary}+/`, "the signature of a URL"],
  ["an encoded signature", `?next=${encodeURIComponent(`X-Amz-Signature=${canary}+/`)}`, "the signature of a URL"],
  ["the key in base64", Buffer.from(`key-${canary}`).toString("base64"), "the key"],
])("%s is reported, in a terminal, a file and the name of one", (_, text, what) => {
  expect(after((checker) => checker.output("the log", text))).toEqual([
    expect.stringContaining(`the log shows ${what}`),
  ]);
  expect(after((checker) => checker.file("state.json", text))).toEqual([expect.stringContaining(`shows ${what}`)]);
  expect(after((checker) => checker.file(text, ""))).toEqual([expect.stringMatching(/^the name of .* shows /)]);
});

test.each([
  ["an escape sequence", "\u001b[2J"],
  ["a null", "\u0000"],
  ["a control character of C1", "\u009b2J"],
  ["a return of the carriage", "safe\rhidden"],
  ["a change of the direction of writing", "\u202e"],
])("%s is reported in a terminal, raw and escaped in a file, and in the name of a file", (_, text) => {
  expect(after((checker) => checker.output("the log", text))).toHaveLength(1);
  expect(after((checker) => checker.file("review.md", text))).toHaveLength(1);
  expect(after((checker) => checker.file("a\u001bb.md", ""))).toHaveLength(1);
});

test("a control character that JSON escapes is reported in a file, and an escaped backslash is not", () => {
  expect(after((checker) => checker.file("state.json", JSON.stringify("\u001b[2J")))).toHaveLength(1);
  expect(after((checker) => checker.file("state.json", JSON.stringify("\\u001b in the text, \n and \t")))).toEqual([]);
});

test("a file that a run writes, changes or deletes is reported, unless the run may", () => {
  const before = new Map([
    ["index.ts", "1"],
    [".env", "1"],
    ["Pulumi.dev.yaml", "1"],
  ]);
  const now = new Map([
    ["index.ts", "2"],
    ["new.txt", "1"],
    ["Pulumi.dev.yaml", "2"],
  ]);
  expect(after((checker) => checker.unchanged(before, now, (name) => name.startsWith("Pulumi.")))).toEqual([
    "a run changed index.ts",
    "a run deleted .env",
    "a run wrote new.txt",
  ]);
});

test.each([0, 2])("a command that failed and ends with %s is reported", (code) => {
  const outputs = [
    "pulumi-cloudvoice: The voices could not be listed.",
    "Diagnostics:\n  pulumi:pulumi:Stack (dev):\n    error: the program failed",
    '{\n  "complete": false,\n}',
  ];
  for (const output of outputs) {
    expect(after((checker) => checker.command({ args: ["review"], code, output }))).toHaveLength(1);
    expect(after((checker) => checker.command({ args: ["review"], code: 1, output }))).toEqual([]);
  }
  expect(after((checker) => checker.command({ args: ["review"], code, output: "no changes" }))).toEqual([]);
});
