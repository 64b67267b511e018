import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { audioProblem } from "../../provider/src/rules/audio";
import { inspectAudio, put, temporaryFolder } from "../support/files";
import { inProgramFolder } from "../support/program-folder";

/** The error about a recording that does not exist says what is in its place, and what to write or do. */

const folder = inProgramFolder();
const problem = async (path: string) => audioProblem(await inspectAudio(resolve(path)));
const program = () => process.cwd();

const nfc = "Erz\u00e4hler.wav";
const nfd = nfc.normalize("NFD");

test.each<[there: string, written: string, message: string]>([
  [
    "audio/a.wav",
    "audio\\a.wav",
    "there is audio/a.wav, which differs in the separator (\\ separates folders only on Windows); write audio/a.wav",
  ],
  [
    "audio/Guide.wav",
    "audio/guide.wav",
    "there is audio/Guide.wav, which differs in upper and lower case; write audio/Guide.wav",
  ],
  ["Audio/a.wav", "audio/a.WAV", "there is Audio/a.wav, which differs in upper and lower case; write Audio/a.wav"],
  [
    `audio/${nfd}`,
    `audio/${nfc}`,
    `there is audio/${nfd}, which differs in the Unicode form of its letters; write "audio/Erza\\u0308hler.wav", or rename the file`,
  ],
  [
    nfc,
    nfd,
    `there is ${nfc}, which differs in the Unicode form of its letters; write "Erz\\u00e4hler.wav", or rename the file`,
  ],
  [
    `Audio/${nfd}`,
    `audio\\${nfc.toLowerCase()}`,
    `there is Audio/${nfd}, which differs in the separator (\\ separates folders only on Windows) and upper and lower case and the Unicode form of its letters; write "Audio/Erza\\u0308hler.wav", or rename the file`,
  ],
  [
    "../shared/Guide.wav",
    "../shared/guide.wav",
    "there is ../shared/Guide.wav, which differs in upper and lower case; write ../shared/Guide.wav",
  ],
])("with %s, the path %s is another spelling", async (there, written, message) => {
  put(program(), there, "a");
  expect(await problem(written)).toBe(`does not exist: ${message}`);
});

test.each([
  [
    "C:\\Users\\me\\a.wav",
    "it is a path of a Windows drive, which this system does not have; write the path from the program's folder, with /",
  ],
  [
    "D:/audio/a.wav",
    "it is a path of a Windows drive, which this system does not have; write the path from the program's folder, with /",
  ],
  ["audio\\none.wav", "\\ separates folders only on Windows; write / instead, which works on every system"],
  ["none.wav", "there is no such file; the path is relative to the program's folder"],
  // A folder is no recording.
  ["AUDIO/Folder.wav", "there is no such file; the path is relative to the program's folder"],
])("%s is not there at all", async (written, message) => {
  put(program(), "audio/folder.wav/a.txt", "a");
  expect(await problem(written)).toBe(`does not exist: ${message}`);
});

test("a link that leads nowhere is named with its target", async () => {
  symlinkSync("../gone.wav", "a.wav");
  expect(await problem("a.wav")).toBe(
    "does not exist: it is a symbolic link to ../gone.wav, which does not exist; correct the link",
  );
});

describe("in a repository", () => {
  const git = (...args: string[]) => {
    const settings = ["user.name=a", "user.email=a@b.c", "protocol.file.allow=always"];
    return execFileSync("git", [...settings.flatMap((each) => ["-c", each]), ...args], { stdio: "pipe" });
  };
  const commit = () => {
    git("add", "--all");
    git("commit", "--quiet", "-m", "files");
  };
  beforeEach(() => git("init", "--quiet"));

  test.each(["audio/a.wav", "audio/deep/er zähl [1].wav"])("%s was deleted", async (path) => {
    put(program(), path, "a");
    commit();
    rmSync(path);
    const deleted = /^does not exist: Git has it, but this work tree lacks it; restore it with `git checkout HEAD --`/;
    expect(await problem(path)).toMatch(deleted);
    rmSync(dirname(path), { recursive: true });
    expect(await problem(path)).toMatch(deleted);
    git("rm", "--quiet", "--cached", path);
    expect(await problem(path)).toMatch(deleted);
    expect(await problem("audio/none.wav")).toMatch(/there is no such file/);
  });

  test.each([["--cone"], ["--no-cone"], ["--sparse-index"]])(
    "a sparse checkout (%s) leaves a file out",
    async (mode) => {
      put(program(), "audio/deep/a.wav", "a");
      put(program(), "code/index.js", "");
      commit();
      git("sparse-checkout", "set", mode, "code");
      expect(await problem("audio/deep/a.wav")).toBe(
        "does not exist: Git has it, but the sparse checkout leaves it out; add its folder with `git sparse-checkout add`",
      );
    },
  );

  test("Git ignores a file, which no clone has; the pattern and its line are named", async () => {
    put(program(), ".gitignore", "# recordings\n*.wav\n!kept.wav\n");
    commit();
    expect(await problem("audio/a.wav")).toBe(
      "does not exist: Git ignores it (*.wav in .gitignore:2), so a clone does not have it; " +
        "add it with `git add --force`, or copy it there before each run",
    );
    expect(await problem(":(exclude)a.wav")).toMatch(/Git ignores it/);
    expect(await problem("audio/kept.wav")).toMatch(/there is no such file/);
  });

  test("a submodule is not checked out, or lacks the file itself", async () => {
    const voices = temporaryFolder();
    process.chdir(voices);
    git("init", "--quiet");
    put(voices, "de/a.wav", "a");
    commit();
    const top = `${folder()}/program`;
    process.chdir(top);
    git("submodule", "--quiet", "add", voices, "media/voices");
    commit();
    rmSync("media/voices/de/a.wav");
    expect(await problem("media/voices/de/a.wav")).toMatch(/Git has it, but this work tree lacks it/);
    git("submodule", "--quiet", "deinit", "--force", "media/voices");
    put(top, "media/b.wav", "b");
    expect(await problem("media/none.wav")).toMatch(/there is no such file/);
    expect(await problem("media/voices/de/a.wav")).toBe(
      "does not exist: it is in the Git submodule media/voices, which is not checked out; run `git submodule update --init`",
    );
  });

  test("the program may be in a folder of the repository, and the recording beside it", async () => {
    put(program(), "audio/a.wav", "a");
    mkdirSync("stack");
    commit();
    renameSync("audio", "elsewhere");
    process.chdir("stack");
    expect(await problem("../audio/a.wav")).toMatch(/Git has it, but this work tree lacks it/);
  });
});
