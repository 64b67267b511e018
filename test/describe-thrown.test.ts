import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describeThrown } from "../provider/src/describe-thrown";
import { temporaryFolder } from "./support/files";

const folder = temporaryFolder();
symlinkSync("loop", join(folder, "loop"));
writeFileSync(join(folder, "file"), "");
mkdirSync(join(folder, "folder"));

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

test.each([
  ["loop", "too many symbolic links encountered (ELOOP)"],
  ["file/below", "not a directory (ENOTDIR)"],
  ["none", "no such file or directory (ENOENT)"],
  ["x".repeat(300), "name too long (ENAMETOOLONG)"],
])(
  "an error of the system about the file %s says what is wrong, and not which call of the system failed",
  (name, words) => {
    const path = join(folder, name);
    expect(describeThrown(thrownBy(() => readFileSync(path))).message).toBe(`${path}: ${words}`);
  },
);

test("an error of the system tells a file from a folder", () => {
  const path = join(folder, "file");
  const read = () => readFileSync(join(folder, "folder"));
  expect(describeThrown(thrownBy(read)).message).toBe("illegal operation on a directory (EISDIR)");
  expect(describeThrown(thrownBy(() => readdirSync(path))).message).toMatch(/file: not a directory/);
});

test("an error of a connection, of a command or with a code of no error keeps its own text", () => {
  const taken = Object.assign(new Error("listen EACCES"), { code: "EACCES", syscall: "listen" });
  expect(describeThrown(taken).message).toBe("listen EACCES");
  expect(describeThrown(spawnSync(join(folder, "none")).error).message).toMatch(/^spawnSync .* ENOENT$/);
  expect(describeThrown(Object.assign(new Error("own"), { code: "toString", path: "p" })).message).toBe("own");
});
