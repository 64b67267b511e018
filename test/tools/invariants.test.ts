import { Invariants } from "../support/invariants";

/** Each invariant can fail: the checker of every run reports what is planted. */

const secret = "X-Amz-Signature=canary-5f2c81+/";

function after(work: (checker: Invariants) => void): string[] {
  const checker = new Invariants();
  checker.keepSecret("a secret", secret);
  work(checker);
  return checker.take();
}

test.each([
  ["a secret", `the service says: ${secret}`],
  ["an encoded secret", `?next=${encodeURIComponent(secret)}`],
  ["a secret in base64", Buffer.from(secret).toString("base64")],
  ["an escape sequence", "\u001b[2J"],
  ["a null", "\u0000"],
  ["a control character of C1", "\u009b2J"],
  ["a return of the carriage", "safe\rhidden"],
  ["a change of the direction of writing", "\u202e"],
])("%s is reported in a terminal, in a file and in the name of one", (_, text) => {
  expect(after((checker) => checker.output("the log", text))).toHaveLength(1);
  expect(after((checker) => checker.file("state.json", text))).toHaveLength(1);
  expect(after((checker) => checker.file(text, ""))).toHaveLength(1);
});

test("a control character that JSON escapes is reported in a file, and an escaped backslash is not", () => {
  expect(after((checker) => checker.file("state.json", JSON.stringify("\u001b[2J")))).toHaveLength(1);
  expect(after((checker) => checker.file("state.json", JSON.stringify("\\u001b in the text, \n and \t")))).toEqual([]);
});

test("a file that a run writes, changes or deletes is reported, unless the run may", () => {
  const before = new Map(Object.entries({ "index.ts": "1", ".env": "1", "Pulumi.dev.yaml": "1" }));
  const now = new Map(Object.entries({ "index.ts": "2", "new.txt": "1", "Pulumi.dev.yaml": "2" }));
  const found = after((checker) => checker.unchanged(before, now, (name) => name.startsWith("Pulumi.")));
  expect(found).toEqual(["a run changed index.ts", "a run deleted .env", "a run wrote new.txt"]);
});

test.each([
  ["pulumi-cloudvoice: The voices could not be listed.", [1, 0, 1]],
  ["Diagnostics:\n  pulumi:pulumi:Stack (dev):\n    error: the program failed", [1, 0, 1]],
  ['{\n  "complete": false,\n}', [1, 0, 1]],
  ["no changes", [0, 0, 0]],
])("a command that prints %j may end with 1, and not with 0 or 2 if it failed", (output, reported) => {
  const found = [0, 1, 2].map((code) => after((checker) => checker.command({ args: ["review"], code, output })).length);
  expect(found).toEqual(reported);
});
