import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInput, dataUrl, postVoiceCall } from "../emulator/voice-call";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { inspectAudio, put, recordings, root, temporaryFolder } from "../support/files";
import { Stack } from "../support/stack";

test("the command line reports wrong arguments in one line, without a stack trace", () => {
  for (const [args, message] of [
    [["delete"], /Name the voices to delete, or select them/],
    [["voices"], /no address of the service\. .* \(--stack\)\. .*`npx --no-install pulumi-cloudvoice dev -- …`/],
    [["delete", "--prefix", "", "--yes"], / is empty\. /],
    [["voices", "--stack="], / is empty\. /],
    [["review", "--stack", ""], / is empty\. /],
    [["doctor", "--stack", ""], / is empty\. /],
    [["review", ""], /The argument preview is empty\. /],
    [["voices", "--exit-code"], /--exit-code needs --orphans/],
    [["voices", "--adopt", "--json"], /--adopt cannot be combined/],
    [["review", "--limit", "images=many"], /must have at most one number for each of voices, images/],
    [["review", "--drift", "preview.json"], /--drift runs `pulumi refresh` itself/],
    [["review", "--embed-audio"], /--embed-audio needs a page/],
    [["review", "none.json"], /The preview cannot be read: none\.json: no such file or directory \(ENOENT\)/],
    [["review", "package.json"], /The preview cannot be read: it has neither steps nor diagnostics/],
    [["review", "--save", "review.pdf"], /the extension sets the form\. Use one of \.txt, \.md, \.html, \.json/],
    [["review", "--format", "pdf"], /Allowed choices are text, markdown, html, json/],
    [["doctor", "--stack"], /argument missing/],
    [["nonsense"], /unknown command 'nonsense'/],
    [["emulator", "--port", "70000"], /must be at most 65535/],
    [["emulator", "--host", "192.0.2.1"], /cannot listen on 192\.0\.2\.1:.*EADDRNOTAVAIL.*Choose another address/],
    [["emulator", "--key", "a b;c"], /visible ASCII characters, without spaces/],
    [["emulator", "--sample", "narrator.mp3"], /name that ends in \.wav/],
    [["emulator", "--file", "/nonexistent/file"], /ENOENT/],
  ] as const) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("CLOUDVOICE_")));
    const run = spawnSync(process.execPath, [join(root, "provider", "dist", "cli.js"), ...args], {
      encoding: "utf8",
      env,
      cwd: root,
    });
    expect(run.stderr).toMatch(message);
    expect(run.stderr).not.toMatch(/\n\s+at /);
    expect(run.status).not.toBe(0);
  }
});

test.each(["16.20.2", "18.20.8", "20.18.3"])("each command refuses Node.js %s in one line", (version) => {
  const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });`;
  const preload = put(temporaryFolder(), "older.cjs", older);
  const cli = join(root, "provider", "dist", "cli.js");
  const run = spawnSync(process.execPath, ["--require", preload, cli, "--version"], { encoding: "utf8" });
  expect([run.status, run.stdout, run.stderr]).toEqual([
    ...[1, ""],
    `pulumi-cloudvoice needs Node.js 20.19 or newer, and this is Node.js ${version}. Install a newer Node.js.\n`,
  ]);
  // What runs before has no syntax that these lack.
  expect(readFileSync(cli, "utf8")).not.toMatch(/\?\?=|static \{|\/v[;,)]|\bawait\b/);
});

test("cloudvoice emulator says what it forgets, keeps address and key with --file, and prints what a shell can read", async () => {
  const folder = temporaryFolder();
  const start = (...args: string[]) =>
    new Promise<{ stdout: string; stderr: string }>((resolve) => {
      const child = spawn(process.execPath, [join(root, "provider", "dist", "cli.js"), "emulator", ...args], {
        cwd: folder,
      });
      let [stdout, stderr] = ["", ""];
      child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
      child.stderr.on("data", (data: Buffer) => {
        stderr += data.toString();
        if (stderr.includes("Ctrl-C to stop")) child.kill("SIGINT");
      });
      child.once("close", () => resolve({ stdout, stderr }));
    });
  const bare = await start("--key", "a';$b");
  expect(bare.stderr).toMatch(/^This emulator loses its data at Ctrl-C.*--file emulator\.jsonl\.\n/);
  expect(execFileSync("sh", ["-c", `${bare.stdout} printf %s "$CLOUDVOICE_API_KEY"`], { encoding: "utf8" })).toBe(
    "a';$b",
  );

  const kept = await start("--file", "emulator.jsonl");
  expect(kept.stderr).not.toContain("forgets");
  expect((await start("--file", "emulator.jsonl")).stdout).toBe(kept.stdout);

  const sample = await start("--sample", "audio/narrator.wav");
  expect(sample.stderr).toMatch(/^Wrote audio\/narrator\.wav: 12 s/);
  expect((await start("--sample", "audio/narrator.wav")).stderr).toMatch(/exists already/);
  expect(await inspectAudio(join(folder, "audio/narrator.wav"))).toMatchObject({ state: "audio", seconds: 12 });
  const emulator = await emulate();
  const data = dataUrl(readFileSync(join(folder, "audio/narrator.wav")), "audio/wav");
  expect(await postVoiceCall(emulator, createInput(data))).toMatchObject({ status: 200 });
});

test("cloudvoice doctor reports a healthy set-up without a billed call, and shows no key; each command rejects one in clear", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_BASE_URL: "", CLOUDVOICE_API_KEY: "" });
  stack.configure({ "cloudvoice:baseUrl": emulator.url });
  await stack.ok(stack.pulumi("config", "set", "--secret", "cloudvoice:apiKey", emulator.apiKey));
  emulator.seedVoices("default", 3);

  const expired = put(
    join(stack.folder, ".state", "pulumi-cloudvoice", "journal"),
    `cloudvoice-${"ab".repeat(16)}.json`,
    `{ "note": "pulumi-cloudvoice journal", "sentAtMs": 1 }`,
  );
  // The selected stack is `dev`.
  const healthy = await cloudvoice(stack, ["doctor"]);
  expect(healthy.stdout).toMatch(
    /apiKey +│ set, from cloudvoice:apiKey[^]*3 of 1000 voices[^]*images +│ reached, the key is accepted/,
  );
  expect(healthy.stdout).not.toMatch(/ERROR|WARNING/);
  expect(healthy.stdout + healthy.stderr).not.toContain(emulator.apiKey);
  expect(healthy.code).toBe(0);
  expect(existsSync(expired)).toBe(false);
  // No line ends within a word.
  expect(healthy.stdout).toMatch(/│ can be written: \S+ +│/);
  expect(healthy.stdout).toMatch(/│ reached; the key was not tried, because each call with a key is billed +│/);

  const mistyped = await doctor(stack, "--stack", "dve");
  expect(Object.values(mistyped).filter((finding) => finding.startsWith("error"))).toEqual([mistyped.stack]);
  expect(mistyped.stack).toMatch(/no stack named 'dve' found/);
  stack.configure({ "cloudvoice:apiKey": emulator.apiKey, "cloudvoice:baseUrl": emulator.url });
  const inClear = await cloudvoice(stack, ["doctor", "--stack", "dev", "--json"]);
  expect(inClear.code).toBe(1);
  expect(inClear.stdout).toMatch(/in clear\. Encrypt it with `pulumi config set --secret cloudvoice:apiKey`/);
  const voices = await cloudvoice(stack, ["voices", "--stack", "dev"]);
  expect(voices).toMatchObject({ code: 1, stderr: expect.stringMatching(/in clear/) as string });
  expect(emulator.summary()).toMatchObject({ charge: 0, voicesBilled: 0, tasks: 0, tokens: 0 });
});

test("doctor has a row for a bad setting and for a full account, and hides credentials in addresses", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const address = "https://user:canary@example.test/?key=canary";
  const invalid = { CLOUDVOICE_MAX_RETRIES: "-1", CLOUDVOICE_IMAGE_BASE_URL: address };
  const settings = await doctor(stack.with(invalid));
  expect(settings.settings).toMatch(/^error: .*CLOUDVOICE_MAX_RETRIES is/);
  expect(settings.imageBaseUrl).toMatch(/^ok: https:\/\/…@example\.test/);
  expect(JSON.stringify(settings)).not.toContain("canary");

  emulator.seedVoices("default", 2);
  const full = await doctor(stack.with({ CLOUDVOICE_VOICE_QUOTA: "2" }));
  expect(full.voices).toMatch(/^warning: .*2 of 2 voices: the account is full\./);
});

test("cloudvoice doctor prints no setting that is stored as a secret", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator);
  const store = (name: string, value: string) =>
    stack.ok(stack.pulumi("config", "set", "--secret", `cloudvoice:${name}`, value));
  await store("namespace", "canary-namespace");
  await store("journal", "canary-journal");
  const found = await doctor(stack);
  expect(found).toMatchObject({
    namespace: "ok: set, from cloudvoice:namespace",
    journal: "ok: its place is secret, and not shown",
  });
  await store("imageBaseUrl", "http://127.0.0.1:9/canary-address");
  const refused = await doctor(stack);
  expect(JSON.stringify(refused)).toMatch(/set CLOUDVOICE_IMAGE_BASE_URL too/);
  expect(JSON.stringify([found, refused])).not.toContain("canary");
});

/** The findings of `doctor`, by what they are about. */
async function doctor(stack: Stack, ...args: string[]): Promise<Record<string, string>> {
  const { stdout } = await cloudvoice(stack, ["doctor", "--json", ...args]);
  const { findings } = JSON.parse(stdout) as { findings: { about: string; state: string; message: string }[] };
  return Object.fromEntries(findings.map(({ about, state, message }) => [about, `${state}: ${message}`]));
}

test("arguments, settings and folders with control characters are shown without them, and the command says that it failed", async () => {
  const stack = await Stack.create(await emulate());
  const hostile = "\u001b[2J\u202ex\r";
  // The set-up of the tests checks the outputs.
  for (const args of [[hostile], ["voices", `--${hostile}`], ["review", "--stack", hostile], ["delete", hostile]])
    expect((await cloudvoice(stack, args)).code).toBe(1);
  for (const args of [["doctor"], ["doctor", "--json"]]) {
    const { stdout } = await cloudvoice(stack.with({ CLOUDVOICE_NAMESPACE: hostile }), args);
    expect(stdout).toMatch(/\\u(\{1b\}|001b)\[2J/);
  }
  const { stdout, code } = await cloudvoice(stack, ["init", join(temporaryFolder(), "a\u001bb\u202e")]);
  expect([code, stdout]).toEqual([0, expect.stringContaining("a\\u{1b}b\\u{202e}")]);
});

test.each([
  ["-rf", "./-rf"],
  ["+1", "./+1"],
  ["=x", "./=x"],
  ["~root", "'./~root'"],
  ["new", "new"],
])("init -- %s prints a command that changes to that folder, whatever the shell", async (folder, shown) => {
  const there = { folder: temporaryFolder(), env: process.env };
  const { stdout, code } = await cloudvoice(there, ["init", "--", folder]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`  cd ${shown}\n`)]);
});

test.each([
  ["npm/12.2.1 node/v22.23.2", "npm", undefined],
  ["pnpm/12.21.0 npm/? node/v22.23.2", "pnpm", ["pnpm-workspace.yaml", /allowBuilds:\n {2}protobufjs: false/]],
  ["yarn/4.18.1 npm/? node/v22.23.2", "yarn", [".yarnrc.yml", /nodeLinker: node-modules/]],
  ["bun/1.4.5 npm/? node/v22.23.2", "bun", undefined],
] as const)("init run by %s names %s, and writes the setting that it needs", async (agent, manager, setting) => {
  const folder = join(temporaryFolder(), "voices");
  const env = { ...process.env, npm_config_user_agent: agent };
  const { stdout, code } = await cloudvoice({ folder: temporaryFolder(), env }, ["init", folder]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`  ${manager} install\n  ${manager} run up\n`)]);
  const settings = readdirSync(folder).filter((name) => /pnpm|yarn/.test(name));
  expect(settings).toEqual(setting === undefined ? [] : [setting[0]]);
  if (setting !== undefined) expect(readFileSync(join(folder, setting[0]), "utf8")).toMatch(setting[1]);
});

test.each([
  ["without a terminal there are none", {}, false],
  ["FORCE_COLOR asks for them", { FORCE_COLOR: "1" }, true],
  ["NO_COLOR comes first", { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("colours of a command: %s", (_, variables, hasColours) => {
  const env = { PATH: process.env.PATH };
  const args = [join(root, "provider", "dist", "cli.js"), "check", recordings.wav];
  const { stdout, status } = spawnSync(process.execPath, args, { env: { ...env, ...variables }, encoding: "utf8" });
  expect([status, stdout.includes("\u001b[32m accepted")]).toEqual([0, hasColours]);
});
