import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { cloudvoice } from "../support/cloudvoice";
import { copy, put, recordings, temporaryFolder } from "../support/files";
import { planText } from "../../provider/src/rules/plan-line";
import { sha256Of } from "../../provider/src/files";

/** What the files of a change can do to the person or the job that reviews it. No program of the change is run here. */

const type = "pulumi-nodejs:dynamic/cloudvoice:CloudVoice";

/** The repository of a project, whose program runs in the folder `main`, and a preview of a voice with this recording. */
function repository(main: string, audio: object) {
  const folder = temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: folder });
  git("init", "--quiet");
  put(folder, "Pulumi.yaml", `name: program\nruntime: nodejs\nmain: ${main}\n`);
  function declare(inputs: object): void {
    const urn = `urn:pulumi:dev::program::${type}::narrator`;
    const step = { op: "create", urn, newState: { type, inputs: { targetModel: "m", ...inputs } } };
    const plan = { severity: "info", message: planText({ urn: "" }) };
    put(folder, "preview.json", JSON.stringify({ steps: [step], diagnostics: [plan], changeSummary: { create: 1 } }));
  }
  declare(audio);
  const commit = () => (git("add", "--all"), git("commit", "--quiet", "--message", "a change"));
  /** The beginnings of the recordings in the page of the review. */
  async function embedded(): Promise<string[]> {
    const args = ["preview.json", "--embed-audio", "--save", "review.html"];
    await cloudvoice({ folder, env: { PATH: process.env.PATH, CLOUDVOICE_API_KEY: "k3y-of-the-job" } }, [
      "review",
      ...args,
    ]);
    return readFileSync(join(folder, "review.html"), "utf8").match(/data:audio[^"]{0,40}/g) ?? [];
  }
  return { folder, declare, commit, embedded };
}

/** A command for a configuration of Git. It leaves a file if it is run. */
const leaves = (ran: string) => `"env > '${ran}'; false"`;
/** A part of a configuration: objects that a repository lacks are asked for with this command. */
const asking = (ran: string) =>
  `[extensions]\npartialClone = origin\n[remote "origin"]\nurl = .\npromisor = true\nuploadpack = ${leaves(ran)}\n`;

const hashOf = (file: string) => sha256Of(readFileSync(file));

test("a folder that looks like a repository of Git runs nothing, and the history of the real one is used", async () => {
  const sha256 = hashOf(recordings.wav);
  const { folder, commit, embedded } = repository("voices", { audio: "a.wav", audioSha256: sha256 });
  copy(recordings.wav, join(folder, "voices"), "a.wav");
  commit();
  // The bare repository asks a remote for what it lacks, and its configuration names the command to ask with.
  const ran = join(folder, "ran");
  put(folder, "voices/HEAD", `${"1".repeat(40)}\n`);
  put(folder, "voices/objects/kept", "");
  put(folder, "voices/refs/kept", "");
  put(folder, "voices/config", `[core]\nrepositoryformatversion = 1\nbare = true\n${asking(ran)}`);
  copy(recordings.otherMp3, join(folder, "voices"), "a.wav");
  commit();
  expect(await embedded()).toHaveLength(1);
  expect(existsSync(ran)).toBe(false);
});

test("a clone without all objects asks its remote for none, and none of its configuration is run", async () => {
  const { folder, commit, embedded } = repository("voices", { audio: "a.wav", audioSha256: "0".repeat(64) });
  copy(recordings.wav, join(folder, "voices"), "a.wav");
  commit();
  const ran = join(folder, "ran");
  const config = readFileSync(join(folder, ".git", "config"), "utf8");
  const partial = config.replace("repositoryformatversion = 0", "repositoryformatversion = 1");
  put(folder, ".git/config", `${partial}\tfsmonitor = ${leaves(ran)}\n${asking(ran)}`);
  const branch = execFileSync("git", ["branch", "--show-current"], { cwd: folder }).toString().trim();
  put(folder, `.git/refs/heads/${branch}`, `${"1".repeat(40)}\n`);
  expect(await embedded()).toEqual([]);
  expect(existsSync(ran)).toBe(false);
});

test("the terminal says that a saved page contains recordings", async () => {
  const { folder, commit } = repository("voices", { audio: "a.wav", audioSha256: hashOf(recordings.wav) });
  copy(recordings.wav, join(folder, "voices"), "a.wav");
  commit();
  const save = (...args: string[]) =>
    cloudvoice({ folder, env: { PATH: process.env.PATH } }, ["review", "preview.json", "--save", "page.html", ...args]);
  expect((await save("--embed-audio")).stderr).toMatch(/^page\.html contains 1 recording \(.* They are personal data/m);
  expect((await save()).stderr).not.toMatch(/personal data/);
});

describe("a recording outside the project is named, and not read", () => {
  const audioSha256 = hashOf(recordings.wav);
  const elsewhere = () => copy(recordings.wav, temporaryFolder(), "private.wav");
  test.each<[string, (folder: string) => object]>([
    ["an absolute path", () => ({ audio: elsewhere(), audioSha256 })],
    ["a path out of the folder", (folder) => ({ audio: relative(join(folder, "voices"), elsewhere()), audioSha256 })],
    [
      "a link",
      (folder) => {
        mkdirSync(join(folder, "voices"));
        symlinkSync(elsewhere(), join(folder, "voices", "a.wav"));
        return { audio: "a.wav", audioSha256 };
      },
    ],
    [
      "a folder that is a link",
      (folder) => {
        symlinkSync(dirname(elsewhere()), join(folder, "voices"));
        return { audio: "private.wav", audioSha256 };
      },
    ],
  ])("%s", async (_, inputsOf) => {
    const { folder, embedded, declare } = repository("voices", {});
    declare(inputsOf(folder));
    expect(await embedded()).toEqual([]);
    const page = readFileSync(join(folder, "review.html"), "utf8");
    expect(page).toMatch(/\.wav[^<]*<\/figcaption>\s*<em>The project does not have this recording/);
    expect(page).not.toContain("data:audio");
  });

  test("nor is one of the project that the preview names without its hash", async () => {
    const { folder, embedded, commit } = repository("voices", { audio: "a.wav" });
    copy(recordings.wav, join(folder, "voices"), "a.wav");
    commit();
    expect(await embedded()).toEqual([]);
    expect(readFileSync(join(folder, "review.html"), "utf8")).toContain(
      "The preview does not have the hash of the recording",
    );
  });
});

test.each([
  ["review", ["review", "--format", "json"]],
  ["dev", ["dev", "--", "pulumi", "preview", "--json"]],
])("%s never takes a pulumi that a dependency brings", async (_, args) => {
  const [folder, system] = [temporaryFolder(), temporaryFolder()];
  put(folder, "Pulumi.yaml", "name: program\nruntime: nodejs\n");
  const command = (at: string, name: string, script: string) =>
    chmodSync(put(at, name, `#!/bin/sh\n${script}\n`), 0o755);
  command(folder, "node_modules/.bin/pulumi", `touch '${folder}/hooked'; echo '{"steps":[],"changeSummary":{}}'`);
  command(folder, "pulumi", `touch '${folder}/hooked'`);
  command(system, "pulumi", `echo "$PATH" > '${system}/asked'; exit 1`);
  // As `npm run` sets it, with an entry that stands for the working folder.
  const own = [join(folder, "node_modules", ".bin"), `${folder}/node_modules/.bin/`, ""];
  const PATH = [...own, system, process.env.PATH].join(delimiter);
  await cloudvoice({ folder, env: { PATH, CLOUDVOICE_BASE_URL: "http://127.0.0.1:9" } }, args);
  expect(existsSync(join(folder, "hooked"))).toBe(false);
  expect(readFileSync(join(system, "asked"), "utf8").split(delimiter)).toEqual(expect.not.arrayContaining(own));
});

test("the page shows control characters and directions of writing as codes, also in the URN", async () => {
  const { folder, commit, embedded } = repository("voices", { audio: "a.wav" });
  const preview = readFileSync(join(folder, "preview.json"), "utf8");
  put(folder, "preview.json", preview.replace("::narrator", "::\\u001b[31m\\u0007\\u202e<b>narrator"));
  commit();
  await embedded();
  const page = readFileSync(join(folder, "review.html"), "utf8");
  expect(page).toContain("::\\u{1b}[31m\\u{7}\\u{202e}&lt;b&gt;narrator");
  expect(page).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
});
