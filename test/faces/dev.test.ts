import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { parse } from "yaml";
import { getEngine } from "../../tools/engine/engine";
import { engineVersion } from "../../provider/src/run-pulumi";
import { put, root, temporaryFolder } from "../support/files";
import { outputOf } from "../support/stack";
import { until } from "../support/until";

/** `pulumi-cloudvoice dev` and `init`, as the built command. What a new project does is in test/package. */

const commandLine = join(root, "provider", "dist", "cli.js");
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(CLOUDVOICE_|PULUMI_)/.test(name)),
);

function start(cwd: string, args: string[], variables: Record<string, string> = {}) {
  const env = { ...inherited, PULUMI_HOME: join(cwd, "home"), ...variables };
  const child = spawn(process.execPath, [commandLine, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  return { child, output: outputOf(child), ended: ended(child) };
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("close", resolve));
}

async function run(cwd: string, args: string[], variables?: Record<string, string>) {
  const { output, ended: code } = start(cwd, args, variables);
  return { code: await code, output: output() };
}

/** A folder with a project, and a PATH with the engine. */
async function project() {
  const folder = temporaryFolder();
  put(folder, "Pulumi.yaml", "name: voices\nruntime: nodejs\n");
  return { folder, env: { PATH: [(await getEngine()).folder, process.env.PATH].join(delimiter) } };
}

const node = (script: string) => ["dev", "--", process.execPath, "-e", script];
const endless = (script: string) => node(`${script} setInterval(() => {}, 1e6); console.log("ready")`);
const print = (...names: string[]) =>
  node(`console.log(JSON.stringify([${names.map((name) => `process.env.${name}`).join(",")}]))`);
const printed = ({ output }: { output: string }) => JSON.parse(/^\[.*$/m.exec(output)?.[0] ?? "") as string[];

test("dev passes on the exit code, and reports what the command did in the emulator", async () => {
  const create = `
    const { CLOUDVOICE_BASE_URL: url, CLOUDVOICE_API_KEY: key } = process.env;
    const body = JSON.stringify({ model: "svc-voice-enrollment", input: { action: "list" } });
    const headers = { authorization: "Bearer " + key, "content-type": "application/json" };
    fetch(url + "/api/v1/services/audio/tts/customization", { method: "POST", headers, body }).then(() => process.exit(7));`;
  const { code, output } = await run(temporaryFolder(), node(create));
  expect(output).toBe(
    "Emulator: 1 list; voices billed: 0, $0.00; image tasks: 0; decision tokens: 0. It now holds 0 voices.\n",
  );
  expect(code).toBe(7);
});

test("dev --answer chooses what decisions get, and refuses what is no answer", async () => {
  const ask = `
    const { CLOUDVOICE_BASE_URL: url, CLOUDVOICE_API_KEY: key } = process.env;
    const questions = { tone: { type: "choice", criteria: { friendly: "Kind", rude: "Unkind" } } };
    const body = JSON.stringify({ model: "decision-model-preview", state: "Text", questions });
    const headers = { authorization: "Bearer " + key, "content-type": "application/json" };
    fetch(url + "/compatible-mode/v1/systemone", { method: "POST", headers, body })
      .then((response) => response.text()).then(console.log);`;
  const [dev = "", ...command] = node(ask);
  const answered = await run(temporaryFolder(), [dev, "--answer", "tone=rude", ...command]);
  expect(answered.output).toContain('"choice":"rude"');
  const refused = await run(temporaryFolder(), [dev, "--answer", "rude", ...command]);
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("--answer tone=rude") as unknown });
});

test("dev gives the command the same address and key at each start, and keeps everything in the project", async () => {
  const { folder, env } = await project();
  put(folder, "below/file", "");
  const names = ["CLOUDVOICE_BASE_URL", "CLOUDVOICE_API_KEY", "CLOUDVOICE_JOURNAL", "PULUMI_BACKEND_URL"];
  const [address, key, journal, backend] = printed(await run(folder, print(...names), env));
  expect(printed(await run(join(folder, "below"), print(...names), env))).toEqual([address, key, journal, backend]);
  expect(journal).toBe(join(folder, ".cloudvoice", "journal"));
  expect(backend).toContain(".cloudvoice/state");
  expect(existsSync(join(folder, ".cloudvoice", "state", ".pulumi", "stacks", "voices", "emulator.json"))).toBe(true);
});

test("dev refuses what is set up for a service, and --here runs it with the emulator all the same", async () => {
  const folder = temporaryFolder();
  const own = { PULUMI_BACKEND_URL: "file:///elsewhere", PULUMI_CONFIG_PASSPHRASE: "mine" };
  const service = { CLOUDVOICE_BASE_URL: "https://service.example" };
  const key = { CLOUDVOICE_API_KEY: "real" };
  for (const variables of [own, service, key]) {
    const { code, output } = await run(folder, node('console.log("has run")'), variables);
    expect([code, output.includes("has run")]).toEqual([1, false]);
    expect(output).toMatch(/The command was not run: \w+ .*run the command without dev.*dev --here/);
  }
  const here = (...names: string[]) => {
    const [dev = "", ...rest] = print(...names);
    return [dev, "--here", ...rest];
  };
  const forced = await run(folder, here(...Object.keys({ ...own, ...service, ...key })), {
    ...own,
    ...service,
    ...key,
  });
  const [backend, passphrase, address, used] = printed(forced);
  expect([backend, passphrase]).toEqual(Object.values(own));
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect(used).toMatch(/^emulator-/);
  // A command that dev runs may run dev again.
  const inner = await run(folder, print("CLOUDVOICE_BASE_URL"), { CLOUDVOICE_BASE_URL: "http://127.0.0.1:9" });
  expect(inner.output).toMatch(
    /CLOUDVOICE_BASE_URL is set, so the command uses the emulator at that address[^]*127\.0\.0\.1:9/,
  );
});

test("dev runs no Pulumi on a stack whose configuration names a service, and tests all the same", async () => {
  const { folder, env } = await project();
  put(folder, "Pulumi.emulator.yaml", "config:\n  cloudvoice:baseUrl: https://service.example\n");
  const pulumi = (...options: string[]) => run(folder, ["dev", ...options, "--", "pulumi", "stack", "ls"], env);
  const refused = await pulumi();
  expect(refused.code).toBe(1);
  expect(refused.output).toContain(
    "the stack's configuration has the address https://service.example (cloudvoice:baseUrl), and dev would use the emulator",
  );
  expect((await pulumi("--here")).code).toBe(0);
  expect((await run(folder, node(""), env)).code).toBe(0);
});

test("an empty address is none, and an address of the stack for one interface does not come before the emulator's", async () => {
  const names = ["CLOUDVOICE_BASE_URL", "CLOUDVOICE_VOICE_BASE_URL", "CLOUDVOICE_IMAGE_BASE_URL", "CLOUDVOICE_JOURNAL"];
  const folder = temporaryFolder();
  const empty = Object.fromEntries(names.map((name) => [name, " "]));
  const [address, ...others] = printed(await run(folder, print(...names), empty));
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:/);
  expect(others).toEqual([address, address, join(folder, ".cloudvoice", "journal")]);
});

test("dev passes signals on, waits for the command, and ends with the code of the signal", async () => {
  const stopping = 'process.on("SIGTERM", () => { console.log("stopping"); process.exit(9); });';
  const handled = start(temporaryFolder(), endless(stopping));
  await until(() => handled.output().includes("ready"));
  handled.child.kill("SIGTERM");
  expect(await handled.ended).toBe(9);
  expect(handled.output()).toMatch(/stopping\nEmulator: no call/);

  const killed = start(temporaryFolder(), endless(""));
  await until(() => killed.output().includes("ready"));
  killed.child.kill("SIGINT");
  expect(await killed.ended).toBe(130);
});

test("of two commands at once in one project the second waits for the first", async () => {
  const folder = temporaryFolder();
  const first = start(folder, endless('process.on("SIGTERM", () => process.exit());'));
  await until(() => first.output().includes("ready"));
  const second = start(folder, node('console.log("second")'));
  await until(() => second.output().includes("Another command uses the emulator of this project"));
  expect(second.output()).not.toContain("second");
  first.child.kill("SIGTERM");
  expect(await second.ended).toBe(0);
  expect(second.output()).toContain("second");
});

test("an option of dev after -- is no command, and the message says where it belongs", async () => {
  const { code, output } = await run(temporaryFolder(), ["dev", "--", "--folder", "x"], {});
  expect(output).toMatch(/The command --folder was not found on the PATH\. Put options of dev before --/);
  expect(code).toBe(1);
});

test("the Pulumi that npm's package of that name installed runs the project and its test, and no other is needed", async () => {
  const folder = temporaryFolder();
  const versions = join(folder, "home", "versions", engineVersion);
  mkdirSync(versions, { recursive: true });
  symlinkSync((await getEngine()).folder, join(versions, "bin"));
  const project = join(folder, "voices");
  // The engine needs Node.js and a shell. A project's own `pulumi` is no engine.
  const system = temporaryFolder();
  for (const name of ["sh", "dirname", "readlink"]) symlinkSync(`/bin/${name}`, join(system, name));
  const basics = [dirname(process.execPath), system].join(delimiter);
  const own = put(project, "node_modules/.bin/pulumi", "#!/bin/sh\necho of the project\n");
  chmodSync(own, 0o755);
  symlinkSync(join(root, "node_modules", "@pulumi"), join(project, "node_modules", "@pulumi"));
  symlinkSync(join(root, "provider"), join(project, "node_modules", "pulumi-cloudvoice"));
  const env = {
    PATH: [dirname(own), basics].join(delimiter),
    PULUMI_HOME: join(folder, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  await run(folder, ["init", "voices", "--language", "yaml"], env);
  const dev = (...command: string[]) => run(project, ["dev", "--", ...command], env);
  const cli = [process.execPath, commandLine];

  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { scripts: { up: string } };
  const [, up = ""] = /^pulumi-cloudvoice dev -- (.*)$/.exec(scripts.up) ?? [];
  // The scripts name their stack, whichever is selected.
  await dev("pulumi", "stack", "init", "prod");
  expect((await dev(...up.split(" "))).output).toMatch(/\(emulator\)[^]*2 created[^]*voices billed: 1/);
  const doctor = await dev(...cli, "doctor");
  expect(doctor.output).toMatch(new RegExp(`ok +│ Pulumi +│ v?${engineVersion.replaceAll(".", "\\.")}`));
  // The project's own test looks there, too.
  const tests = spawn(process.execPath, ["--test"], { cwd: project, env: { ...inherited, ...env, PATH: basics } });
  const output = outputOf(tests);
  expect({ code: await ended(tests), output: output() }).toMatchObject({ code: 0 });
});

test("without Pulumi, dev says how to install it, and init does too", async () => {
  const folder = temporaryFolder();
  const env = { PATH: dirname(process.execPath) };
  const { code, output } = await run(folder, ["dev", "--", "pulumi", "up"], env);
  expect(output).toMatch(
    /pulumi was not found on the PATH\. Get Pulumi with .*: `npx --yes pulumi@\d.* `curl .*https:\/\/www\.pulumi\.com/,
  );
  expect(code).toBe(1);
  expect((await run(folder, ["init", "voices"], env)).output).toMatch(
    /The project needs Pulumi, which was not found\. Get Pulumi with Node\.js alone: `npx/,
  );
});

test("without a backend, a review says how to get one, with the emulator and with an account", async () => {
  const { folder, env } = await project();
  const { code, output } = await run(folder, ["review"], env);
  expect(output).toMatch(
    /not logged in to a backend\..*`npx --no-install pulumi-cloudvoice dev -- …`.*PULUMI_BACKEND_URL.*`pulumi login`/,
  );
  expect(code).toBe(1);
});

test("init overwrites nothing: it keeps files, adds to package.json, and refuses a folder with a project", async () => {
  const folder = temporaryFolder();
  put(folder, "package.json", JSON.stringify({ name: "mine", scripts: { up: "my own" }, dependencies: { a: "1" } }));
  put(folder, ".gitignore", "mine\n");
  const { code, output } = await run(folder, ["init", "."]);
  expect(code).toBe(0);
  expect(output).toMatch(
    /Added scripts and packages to package\.json\.\nDid not change these files, which existed already: \.gitignore\./,
  );
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("mine\n");
  expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
    name: "mine",
    scripts: { up: "my own", dev: "pulumi-cloudvoice dev --" },
    dependencies: { a: "1", "pulumi-cloudvoice": "^0.1.0" },
  });
  const before = readdirSync(folder);
  const again = await run(folder, ["init"]);
  expect(again.output).toMatch(/has a Pulumi project already\. Name another folder/);
  expect(again.code).toBe(1);
  expect(readdirSync(folder)).toEqual(before);
});

test.each([
  ["the ledger", ".cloudvoice/emulator.jsonl"],
  ["the port", ".cloudvoice/emulator.jsonl.port"],
  ["the state of a stack", ".cloudvoice/state/.pulumi/stacks/program/emulator.json"],
  ["the folder", ".cloudvoice"],
])("dev empties and overwrites nothing that a link in place of %s leads to", async (_, name) => {
  const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
  put(folder, "Pulumi.yaml", "name: program\nruntime: nodejs\n");
  const own = put(elsewhere, "emulator.jsonl", "mine");
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  symlinkSync(name === ".cloudvoice" ? elsewhere : own, join(folder, name));
  const { code, output } = await run(folder, ["dev", "--", "true"]);
  expect([code, readFileSync(own, "utf8"), readdirSync(elsewhere)]).toEqual([1, "mine", ["emulator.jsonl"]]);
  expect(output).toMatch(/is a symbolic link, and the files behind it would be overwritten\. Remove the link/);
});

test("emulator --file follows no link", async () => {
  const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const own = put(elsewhere, "own.txt", "mine");
  symlinkSync(own, join(folder, "emulator.jsonl.port"));
  const { code, output } = await run(folder, ["emulator", "--file", "emulator.jsonl"]);
  expect([code, readFileSync(own, "utf8")]).toEqual([1, "mine"]);
  expect(output).toMatch(/it is a link or a folder, not a regular file\. Remove it/);
});

test("the built command copies the action, and init --pipeline fails in a folder without a project", async () => {
  const folder = temporaryFolder();
  expect((await run(folder, ["init", "--pipeline", "github"])).output).toContain("has no Pulumi project");
  expect((await run(folder, ["init"])).code).toBe(0);
  expect((await run(folder, ["init", "--pipeline", "github"])).output).toContain("Run `npm install`");
  put(folder, "package-lock.json", "{}");
  const { code, output } = await run(folder, ["init", "--pipeline", "github"]);
  expect([code, output.match(/^1\. .*\n {3}git init /m)?.length]).toEqual([0, 1]);
  expect(readFileSync(join(folder, ".github/actions/cloudvoice/run/index.js"))).toEqual(
    readFileSync(join(root, "actions/review/run/index.js")),
  );
});

test("init writes through no link", async () => {
  const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
  const own = put(elsewhere, "package.json", "{}");
  symlinkSync(join(elsewhere, "created"), join(folder, "index.ts"));
  const { output } = await run(folder, ["init", "."]);
  expect(readdirSync(elsewhere)).toEqual(["package.json"]);
  expect(output).toContain("Did not change these files, which existed already: index.ts");

  const other = temporaryFolder();
  symlinkSync(own, join(other, "package.json"));
  expect(await run(other, ["init", "."])).toMatchObject({
    code: 1,
    output: expect.stringContaining("package.json is not a regular file") as string,
  });
  expect([readFileSync(own, "utf8"), readdirSync(other)]).toEqual(["{}", ["package.json"]]);
});

test.each([
  ["Our Voices (2)", "yaml", "our-voices-2"],
  // A number is a text all the same.
  ["2026", "yaml", "2026"],
  ["2026", "typescript", "2026"],
  ["2026", "python", "2026"],
])(
  "init turns the name of the folder %s into one that Pulumi and npm accept, in %s: %s",
  async (name, language, named) => {
    const folder = temporaryFolder();
    await run(folder, ["init", name, "--language", language]);
    const project = parse(readFileSync(join(folder, name, "Pulumi.yaml"), "utf8")) as { name: unknown };
    expect(project.name).toBe(named);
  },
);

test("init beside another program runs its own, and refuses a package of ES modules and one that is no JSON", async () => {
  const folder = temporaryFolder();
  const init = (name: string) => run(folder, ["init", name]);
  const given = (name: string, text: string) => put(join(folder, name), "package.json", text);
  given("shop", '\ufeff{"name":"shop","main":"app.js"}');
  expect((await init("shop")).code).toBe(0);
  expect(readFileSync(join(folder, "shop", "Pulumi.yaml"), "utf8")).toMatch(/^main: index\.ts$/m);
  for (const [name, text, problem] of [
    ["modules", '{"type":"module"}', /has "type": "module".*Name another folder/],
    ["comments", "{} // mine", /package\.json is not a JSON object/],
  ] as const) {
    given(name, text);
    const { code, output } = await init(name);
    expect([code, problem.test(output)]).toEqual([1, true]);
    expect(readdirSync(join(folder, name))).toEqual(["package.json"]);
    expect(readFileSync(join(folder, name, "package.json"), "utf8")).toBe(text);
  }
});
