import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandsOfVenv } from "../../provider/src/system";
import { root } from "../support/files";

test.each([
  ["win32", "voices\\venv\\Scripts"],
  ["darwin", "voices/venv/bin"],
  ["linux", "voices/venv/bin"],
] as const)("on %s the commands of a virtual environment are in %s", (platform, folder) => {
  expect(commandsOfVenv("voices", platform)).toBe(folder);
});

test("three modules know the system, and no other", () => {
  const sources = join(root, "provider", "src");
  const knowing = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .filter((name) => /process\.platform|os\.platform\(|"\/proc/.test(readFileSync(join(sources, name), "utf8")));
  expect(knowing.map((name) => name.replaceAll("\\", "/")).sort()).toEqual([
    "peer.ts",
    "stacks/engine-process.ts",
    "system.ts",
  ]);
});
