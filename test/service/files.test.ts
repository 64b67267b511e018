import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../provider/src/files";
import { put, temporaryFolder } from "../support/files";

test("makes a folder and those above it, with the mode, and leaves one that is there", () => {
  const folder = join(temporaryFolder(), "a", "b");
  makeFolder(folder, 0o700);
  makeFolder(folder);
  expect(statSync(join(folder, "..")).mode & 0o777).toBe(0o700);
});

test("below a file, or where the system takes no folders, it ends with an error", () => {
  const folder = temporaryFolder();
  put(folder, "file", "");
  expect(() => makeFolder(join(folder, "file", "below"))).toThrow(/ENOTDIR/);
  if (existsSync("/proc/version")) expect(() => makeFolder("/proc/x/y")).toThrow(/ENOENT/);
});
