import { textOf } from "../../provider/src/cli/review/text";
import { exitCodeOf } from "../../provider/src/cli/review/review";
import { secretsHidden, secretsIn } from "../../provider/src/cli/known-secrets";
import { review, step } from "../support/review-steps";

/** What a program prints or declares may contain what the job that reviews it must keep. */

const key = "sk_l1ve/4b7Qx+9mZ2";

test.each([
  ["as it is", key],
  ["in JSON", JSON.stringify({ key })],
  ["in a URL", `https://e.example/?k=${encodeURIComponent(key)}`],
  ["as base64", Buffer.from(key).toString("base64")],
  ["as base64 for URLs", Buffer.from(key).toString("base64url")],
  ["as hex", Buffer.from(key).toString("hex")],
])("a secret %s is replaced", (_, text) => {
  const hidden = secretsHidden([key])(`before ${text} after`);
  expect(hidden).toMatch(/before .*\[secret\].* after/);
  expect(hidden).not.toContain(text);
});

test("what a text was cut to has no part of it", () => {
  const hide = secretsHidden([key]);
  expect([hide(`the key is ${key.slice(0, 10)}…`), hide(`…${key.slice(-9)} is the key`)]).toEqual([
    "the key is [secret]…",
    "…[secret] is the key",
  ]);
});

test("each line of a secret of several lines is one", () => {
  expect(secretsHidden(["first line of it\nsecond line of it"])("a second line of it")).toBe("a [secret]");
});

test("lists and what is no text stay what they are, and short values are none", () => {
  const review = { changes: [{ why: `uses ${key}` }], complete: true, quota: undefined };
  expect(secretsHidden([key, "dev", ""])(review)).toEqual({
    changes: [{ why: "uses [secret]" }],
    complete: true,
    quota: undefined,
  });
  expect(secretsHidden(["dev"])("stack dev")).toBe("stack dev");
});

test.each(["imageTasks", "decisions", "decision", "questions", "complete"])(
  "a secret that is the word %s changes no limit and no exit code",
  (word) => {
    const reviewed = review([step("create", word, { kind: "decision" })], { limits: { decisions: 0 } });
    const hidden = secretsHidden([word])(reviewed);
    expect(exitCodeOf(hidden)).toBe(3);
    expect(hidden.changes[0]).toMatchObject({ kind: "decision", name: "[secret]" });
    expect(textOf(hidden)).toContain("Over the limit of 0 decisions that --limit sets.");
  },
);

test("variables with the names of secrets are known", () => {
  const environment = { CLOUDVOICE_API_KEY: "a", GITHUB_TOKEN: "b", PULUMI_CONFIG_PASSPHRASE: "c", HOME: "d" };
  expect(secretsIn(environment)).toEqual(["a", "b", "c"]);
});

test("what npm takes from the files of a change hides nothing in its review, and the credentials of npm are hidden", () => {
  expect(
    secretsIn({
      npm_config_secret: "is below the stated one",
      npm_package_config_token: "Over the limit",
      npm_config__authToken: "a",
      "npm_config_//registry.example/:_authToken": "b",
      NPM_TOKEN: "c",
    }),
  ).toEqual(["a", "b", "c"]);
});
