import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./support/files";

const manifest = JSON.parse(readFileSync(join(root, "provider", "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const readme = readFileSync(join(root, "README.md"), "utf8");

test("every dependency has its reason in the README's table, and nothing else has", () => {
  const [, table = ""] = readme.split("Dependencies, each for a reason:");
  const named = [...table.matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1]);
  expect(named.sort()).toEqual(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).sort());
});

test("importing the package opens nothing and loads nothing heavy", () => {
  // In a process of its own, for this one has loaded everything.
  const loaded = execFileSync(
    process.execPath,
    [
      "-e",
      `require("@pulumi/pulumi"); const before = new Set(Object.keys(require.cache)); require("pulumi-cloudvoice"); console.log(Object.keys(require.cache).filter((file) => !before.has(file)).join("\\n"))`,
    ],
    { cwd: root, encoding: "utf8" },
  );
  expect(
    loaded
      .trim()
      .split("\n")
      .map((file) => file.replace(/.*node_modules.|.*provider./, "")),
  ).toEqual(["dist/index.js", "safe-stable-stringify/index.js"]);
});
