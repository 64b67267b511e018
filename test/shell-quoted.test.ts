import { execFileSync } from "node:child_process";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Change } from "../provider/src/cli/review/change";
import { notesOf } from "../provider/src/cli/review/notes";
import { howToHear } from "../provider/src/cli/review/words";
import { imageQuestion } from "../provider/src/rules/questions";
import { visible } from "../provider/src/rules/visible";
import { pulumiJson, runPulumi } from "../provider/src/run-pulumi";
import { temporaryFolder } from "./support/files";

/*
 * A command in a message can be pasted into a shell: the shell passes each name from outside on as one word, and runs
 * nothing else.
 */

const prices = { voicePrice: 0.01, imagePrice: 0.04, currency: "USD" };
const asked = { name: "cover", account: "https://voices.example 0a1b2c", stack: "studio/prod", inputs: {}, prices };
const retained = { action: "delete", kind: "voice", retained: true, urn: "urn:a", name: "narrator", fields: [] };
const cloudvoice = ["npx", "--no-install", "pulumi-cloudvoice"];

/** Each function that writes a command with a name from outside, and the words that the command has. */
const sentences: [
  what: string,
  sentence: (name: string) => string | undefined | Promise<string | undefined>,
  words: (name: string) => string[],
][] = [
  [
    "the replacement of an image",
    (urn) => imageQuestion("0-1", undefined, { ...asked, urn }).otherwise,
    (urn) => ["pulumi", "up", "--replace", urn],
  ],
  [
    "the deletion of a retained voice",
    (id) => notesOf({ ...retained, id } as unknown as Change)[0],
    (id) => [...cloudvoice, "delete", id],
  ],
  [
    "how to hear a recording",
    (stack) => howToHear({ stack }),
    (stack) => [...cloudvoice, "review", "--embed-audio", "--save", "review.html", "--stack", stack],
  ],
  [
    "a Pulumi command that failed",
    async (stack) => (await runPulumi(["stack", "export", "--stack", stack], { executable: failing() })).failure,
    (stack) => ["pulumi", "stack", "export", "--stack", stack],
  ],
  [
    "a Pulumi command with an output that is not understood",
    (stack) => pulumiJson(["about", "--stack", stack], z.string(), { executable: "/bin/echo" }).catch(String),
    (stack) => ["pulumi", "about", "--stack", stack],
  ],
];

const names = [
  ...[
    "it's",
    `a "b" c`,
    "a$HOME",
    "$(touch PWNED)",
    "a\\",
    "a\\n",
    "`touch PWNED`",
    "x; touch PWNED",
    "x';touch PWNED;'",
  ],
  ...["a\ntouch PWNED", "a'\ntouch PWNED\n'b", "a&b|c>d", "*", "~", "#a", "!!", "%s%d", "ü", "a\u200db\u202e", "##[a]"],
  ...["\u001b[31m", "urn:pulumi:prod::studio::a$b:c:D::e"],
];

test.each(sentences)("%s: a shell passes any name on as one word", async (_, sentence, words) => {
  const plain = shown(await sentence("NAME"));
  for (const name of names) {
    const command = commandIn(shown(await sentence(name)), plain);
    expect(wordsOf(command)).toEqual(words(name));
  }
});

/** In place of Pulumi. Without a text from Pulumi, the message would repeat the whole command. */
function failing(): string {
  const file = join(temporaryFolder(), "pulumi");
  writeFileSync(file, "#!/bin/sh\necho 'error: no such stack' >&2\nexit 1\n", { mode: 0o755 });
  return file;
}

/** A message as people see it: errors and logs replace characters that mislead a reader. */
const shown = (sentence = "") => sentence.split("\n").map(visible).join("\n");

/** The command in a sentence. `plain`: the same sentence with the name NAME. */
function commandIn(sentence: string, plain: string): string {
  const [, head = "", tail = ""] = /.*((?:npx|pulumi) .*)NAME([^`\s]*.*)/s.exec(plain) ?? [];
  expect(sentence.endsWith(tail)).toBe(true);
  return sentence.slice(sentence.lastIndexOf(head), sentence.length - tail.length);
}

/** The words that a command gets from a shell. */
function wordsOf(command: string): string[] {
  const [commands, folder] = [temporaryFolder(), temporaryFolder()];
  for (const name of ["npx", "pulumi", "git", "curl"])
    writeFileSync(join(commands, name), `#!/bin/sh\nprintf '%s\\0' ${name} "$@"\n`, { mode: 0o755 });
  // `touch` is there, so that a command in a name would run.
  symlinkSync("/usr/bin/touch", join(commands, "touch"));
  const options = { cwd: folder, env: { PATH: commands, HOME: "/home" }, encoding: "utf8" } as const;
  const words = execFileSync("/bin/sh", ["-c", command], options).split("\0").slice(0, -1);
  expect(readdirSync(folder)).toEqual([]);
  return words;
}
