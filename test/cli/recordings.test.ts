import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { refOf } from "../../provider/src/cli/recordings";
import { sha256Of } from "../../provider/src/files";
import { put, temporaryFolder } from "../support/files";
import { leadingElsewhere } from "../support/leading-elsewhere";
import { repositoryWithChange } from "../support/repository-with-change";
import { inPipeline, run } from "./command";

/** The old recordings of a pull request, from a real repository on a server that refuses whoever has no token. */

const token = "t0ken-of-the-job";
const key = "k3y-of-the-service";

afterEach(() => jest.restoreAllMocks());

/** Fetches the recordings with only these variables of a pipeline. Returns the folder, and what the command says. */
async function fetched(variables: Record<string, string>, ...args: string[]) {
  inPipeline({ TMPDIR: tmpdir(), CLOUDVOICE_API_KEY: key, ...variables });
  const to = join(temporaryFolder(), "recordings");
  const { beside, code } = await run("recordings", "--to", to, ...args);
  return { to, printed: beside, code };
}

const pullRequest = (before: (author: string) => void, after: (author: string) => void) =>
  repositoryWithChange(
    token,
    () => before,
    () => after,
  );

const old = { wav: "old wav", mp3: "old mp3", moved: "moved", removed: "removed" };
const contents = (folder: string) => readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));

let shared: ReturnType<typeof made> | undefined;
const usual = () => (shared ??= made());

function made() {
  return pullRequest(
    (author) => {
      put(author, "voices/a.wav", old.wav);
      put(author, 'voices/ä "b"\n.MP3', old.mp3);
      put(author, "voices/moved.m4a", old.moved);
      put(author, "other/removed.aac", old.removed);
      put(author, "voices/same.wav", "same");
      put(author, "voices/index.js", "old program");
      put(author, "secret.txt", "not a recording");
      symlinkSync("../secret.txt", join(author, "voices", "link.wav"));
    },
    (author) => {
      put(author, "voices/a.wav", "new wav");
      put(author, 'voices/ä "b"\n.MP3', "new mp3");
      execFileSync("mv", [join(author, "voices/moved.m4a"), join(author, "voices/here.m4a")]);
      execFileSync("rm", [join(author, "other/removed.aac"), join(author, "voices/link.wav")]);
      put(author, "voices/new.wav", "new");
      put(author, "voices/index.js", "new program");
    },
  );
}

test("what the change overwrites, moves or removes is fetched, by its hash, and nothing else", async () => {
  const { variables } = await usual();
  const { to, printed, code } = await fetched(variables);
  expect(contents(to).sort()).toEqual(Object.values(old).sort());
  for (const name of readdirSync(to)) {
    expect(name).toBe(sha256Of(readFileSync(join(to, name))));
    expect(statSync(join(to, name)).mode & 0o077).toBe(0);
  }
  expect([printed, code]).toEqual([["4 old recordings fetched."], 0]);
});

test("only those in the folder of the project", async () => {
  const { variables } = await usual();
  const { to } = await fetched(variables, "--folder", "other");
  expect(contents(to)).toEqual([old.removed]);
});

test("by the variables of GitLab, and the login that its server takes", async () => {
  const { server, variables } = await usual();
  const { to } = await fetched({
    ...{ GITLAB_CI: "true", CI_SERVER_URL: server.origin, CI_PROJECT_ID: "77", CI_JOB_TOKEN: token },
    ...{ CI_PROJECT_URL: `${server.origin}/team/voices`, CI_PROJECT_VISIBILITY: "private" },
    ...{ CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main", CI_COMMIT_SHA: variables.GITHUB_SHA },
  });
  expect(contents(to)).toHaveLength(4);
});

test("a server that knows no partial clone, and gives no file by its hash", async () => {
  const { variables, bare, git } = await made();
  git(bare, "config", "uploadpack.allowFilter", "false");
  git(bare, "config", "uploadpack.allowAnySHA1InWant", "false");
  const { to } = await fetched(variables);
  expect(contents(to)).toHaveLength(4);
});

test("no more than 100", async () => {
  const each = (text: string) => (author: string) => {
    for (let at = 0; at < 103; at++) put(author, `voices/${at}.wav`, `${text} ${at}`);
  };
  const { variables } = await pullRequest(each("old"), each("new"));
  const { to } = await fetched(variables);
  expect(readdirSync(to)).toHaveLength(100);
});

describe("files of Git LFS", () => {
  /** Git LFS itself is in test/faces/recordings.test.ts. This command prints a file of the folder, and its variables. */
  function lfs(): { store: string; PATH: string; seen: () => string } {
    const [commands, store] = [temporaryFolder(), temporaryFolder()];
    const seen = join(temporaryFolder(), "seen");
    const script = [
      "#!/bin/sh",
      `{ env; echo "args: $*"; git config --get lfs.url; } >> ${seen}`,
      "id=$(sed -n 's/^oid sha256://p')",
      `cat ${store}/$id\n`,
    ].join("\n");
    chmodSync(put(commands, "git-lfs", script), 0o755);
    return { store, PATH: [commands, process.env.PATH].join(delimiter), seen: () => readFileSync(seen, "utf8") };
  }
  const pointer = (content: string, bytes = content.length) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256Of(Buffer.from(content))}\nsize ${bytes}\n`;
  const overwritten = (before: string) =>
    pullRequest(
      (author) => put(author, "a.wav", before),
      (author) => {
        put(author, "a.wav", pointer("new"));
        put(author, ".lfsconfig", "[lfs]\n\turl = http://thief.example\n");
        put(author, ".gitattributes", "* filter=stolen\n");
      },
    );

  test("come from the store of the repository's own server, without the key", async () => {
    const { store, PATH, seen } = lfs();
    const { server, variables } = await overwritten(pointer("old in LFS"));
    put(store, sha256Of(Buffer.from("old in LFS")), "old in LFS");
    const { to } = await fetched({ ...variables, PATH });
    expect(contents(to)).toEqual(["old in LFS"]);
    expect(seen()).toContain(`\n${server.origin}/team/voices.git/info/lfs\n`);
    expect(seen()).not.toContain(key);
    expect(seen()).not.toMatch(/^(GITHUB_|CLOUDVOICE_)/m);
    // The login is in no argument.
    expect(/^args: (.*)$/m.exec(seen())?.[1]).toBe("smudge");
  });

  test.each([
    ["another content", pointer("old in LFS"), "other", "the file from Git LFS has another content"],
    ["a file that the store lacks", pointer("old in LFS"), undefined, "cat: "],
    ["one of more than 64 MB", pointer("old in LFS", 64 * 1024 * 1024 + 1), "old in LFS", "it has more than 64 MB"],
  ])("%s is named, and the command fails", async (_, before, stored, why) => {
    const { store, PATH } = lfs();
    const { variables } = await overwritten(before);
    if (stored !== undefined) put(store, sha256Of(Buffer.from("old in LFS")), stored);
    const { to, printed, code } = await fetched({ ...variables, PATH });
    expect(printed).toEqual([expect.stringContaining(`not fetched: a.wav: ${why}`), "0 old recordings fetched."]);
    expect(code).toBe(1);
    expect(readdirSync(to)).toEqual([]);
  });

  test("without Git LFS, the others are fetched", async () => {
    const { variables } = await pullRequest(
      (author) => (put(author, "a.wav", pointer("x")), put(author, "b.wav", "old")),
      (author) => (put(author, "a.wav", "new"), put(author, "b.wav", "new")),
    );
    const { to, printed, code } = await fetched(variables);
    expect(printed[0]).toMatch(/^not fetched: a\.wav: /);
    expect([contents(to), code]).toEqual([["old"], 1]);
  });
});

describe("nothing of the machine or the change is run or used", () => {
  test("no configuration, hook, filter, template or command of the project", async () => {
    const { variables, author, git } = await made();
    const stolen = join(temporaryFolder(), "stolen");
    const command = chmodded(put(temporaryFolder(), "steal", `#!/bin/sh\ntouch ${stolen}\n`));
    const settings = [
      "core.fsmonitor",
      "core.hooksPath",
      "filter.stolen.smudge",
      "credential.helper",
      "core.sshCommand",
    ];
    for (const name of settings) git(author, "config", name, command);
    const commands = join(author, "node_modules", ".bin");
    chmodded(put(commands, "git", `#!/bin/sh\ntouch ${stolen}\n`));
    const before = process.cwd();
    process.chdir(author);
    try {
      const PATH = [commands, ".", process.env.PATH].join(delimiter);
      const own = {
        GIT_DIR: join(author, ".git"),
        GIT_TEMPLATE_DIR: author,
        GIT_EXEC_PATH: commands,
        GIT_SSH_COMMAND: command,
      };
      const { to } = await fetched({ ...variables, ...own, PATH });
      expect(contents(to)).toHaveLength(4);
    } finally {
      process.chdir(before);
    }
    expect(existsSync(stolen)).toBe(false);
  });

  test("the token is in no argument and in no file, and its repository is gone at the end", async () => {
    const { variables } = await usual();
    const [commands, temp] = [temporaryFolder(), temporaryFolder()];
    const seen = join(commands, "seen");
    const real = execFileSync("sh", ["-c", "command -v git"]).toString().trim();
    const spy = `#!/bin/sh\n{ printf '%s\\n' "$@"; cat .git/config 2>/dev/null; } >> ${seen}\nexec ${real} "$@"\n`;
    chmodded(put(commands, "git", spy));
    const PATH = [commands, process.env.PATH].join(delimiter);
    await fetched({ ...variables, PATH, TMPDIR: temp });
    const forms = [token, Buffer.from(`x-access-token:${token}`).toString("base64")];
    for (const form of forms) expect(readFileSync(seen, "utf8")).not.toContain(form);
    expect(readFileSync(seen, "utf8")).toContain("diff-tree");
    expect(readdirSync(temp)).toEqual([]);
  });
});

function chmodded(path: string): string {
  chmodSync(path, 0o755);
  return path;
}

describe("a server that leads elsewhere: the token stays", () => {
  test.each([
    ["from the first request", "info/refs", ""],
    ["from the first request, and the machine's configuration of Git follows", "info/refs", "followRedirects = true"],
    ["from a later request, and the machine's configuration of Git follows", "upload-pack", "followRedirects = true"],
  ])("%s", async (_, led, setting) => {
    const { server, variables } = await usual();
    const { origin, seenElsewhere } = await leadingElsewhere(server.origin, token, (path) =>
      path.split("?")[0]!.endsWith(led),
    );
    const HOME = temporaryFolder();
    put(HOME, ".gitconfig", `[http "${origin}/team/"]\n\t${setting}\n`);
    const outcome = await fetched({ ...variables, HOME, GITHUB_SERVER_URL: origin }).catch(String);
    expect(seenElsewhere()).toEqual([]);
    expect(outcome).toContain(`Git can't fetch from ${origin}/team/voices.git: `);
  });
});

describe("a refusal", () => {
  test("of the server shows neither the token nor its encoding, and leaves nothing behind", async () => {
    const { variables, server } = await usual();
    const temp = temporaryFolder();
    const wrong = { ...variables, GITHUB_TOKEN: "wr0ng-t0ken", TMPDIR: temp };
    const refused = fetched(wrong);
    await expect(refused).rejects.toThrow(`Git can't fetch from ${server.origin}/team/voices.git: `);
    await expect(refused).rejects.toThrow(/The page will name the recordings that it lacks\.$/);
    await expect(refused).rejects.not.toThrow(/wr0ng-t0ken|d3IwbmctdDBrZW4/);
    expect(readdirSync(temp)).toEqual([]);
  });

  test.each<[string, Record<string, string>, string[], RegExp]>([
    ["of a missing branch", { GITHUB_BASE_REF: "nowhere" }, [], /Git can't fetch from .*nowhere/],
    [
      "of an option as a branch",
      { GITHUB_BASE_REF: "--upload-pack=x" },
      [],
      /base of the pull request must be a branch/,
    ],
    ["of no pull request", { GITHUB_BASE_REF: "" }, [], /do not name the base of a pull request\./],
    ["of a folder outside", {}, ["--folder", "../x"], /Git can't fetch from .*outside repository/],
    ["without a token", { GITHUB_TOKEN: "" }, [], /There is no token for the host\. Set GITHUB_TOKEN or GH_TOKEN/],
    ["of an event without visibility", { GITHUB_EVENT_PATH: "" }, [], /--publish yes or --publish no/],
  ])("%s says what to do", async (_, changed, args, message) => {
    const { variables } = await usual();
    await expect(fetched({ ...variables, ...changed }, ...args)).rejects.toThrow(message);
  });

  test("of a folder that has files, or is a link, writes nothing", async () => {
    const { variables } = await usual();
    const full = temporaryFolder();
    put(full, "f".repeat(64), "forged");
    await expect(fetched(variables, "--to", full)).rejects.toThrow(/is not empty/);
    expect(readdirSync(full)).toEqual(["f".repeat(64)]);
  });
});

test.each([
  ["a public repository", '{"repository":{"visibility":"public"}}', []],
  ["--publish no", '{"repository":{"visibility":"private"}}', ["--publish", "no"]],
])("%s has no recordings in its page: nothing is fetched, and there is no folder", async (_, event, args) => {
  const { server, variables } = await made();
  const GITHUB_EVENT_PATH = put(temporaryFolder(), "event.json", event);
  const { to, printed } = await fetched({ ...variables, GITHUB_EVENT_PATH }, ...args);
  expect(existsSync(to)).toBe(false);
  expect(server.requests).toEqual([]);
  expect(printed).toEqual([
    "No recording is fetched for the page of the review: the repository is public, or --publish is no.",
  ]);
});

test.each([
  ["main", "refs/heads/main"],
  ["feature/a-1", "refs/heads/feature/a-1"],
  ["refs/heads/main", "refs/heads/main"],
  ["refs/pull/7/merge", "refs/pull/7/merge"],
  ["c".repeat(40), "c".repeat(40)],
  ["c".repeat(64), "c".repeat(64)],
  ["abc1234", "refs/heads/abc1234"],
])("%s is the reference %s", (text, expected) => {
  expect(refOf("base", text)).toBe(expected);
});

test.each(["", "-x", "a:refs/heads/b", "a b", "a..b", "a^", "a~1", "a?", "a*", "a[", "a\\b", "a@{1}", "a\n", "/a"])(
  "%j is no reference",
  (text) => {
    expect(() => refOf("base", text)).toThrow(/base of the pull request must be a branch/);
  },
);
