import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./support/files";

const manifest = JSON.parse(readFileSync(join(root, "provider", "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const installed = Object.keys(manifest.dependencies);
/** The build bundles every package that is imported and not installed. */
const bundled = Object.keys(manifest.devDependencies);

test("the README's table gives a reason for every dependency, and states whether it is installed or bundled", () => {
  const [, table = ""] = readFileSync(join(root, "README.md"), "utf8").split("Dependencies, each for a reason:");
  const rows = [...table.matchAll(/^\| `([^`]+)` \| (\w+) \| .{10,} \|$/gm)].map(([, name, how]) => `${name} ${how}`);
  expect(rows.sort()).toEqual(
    [...installed.map((name) => `${name} installed`), ...bundled.map((name) => `${name} bundled`)].sort(),
  );
});

test("the package contains the licence of every bundled package", () => {
  const licenses = readFileSync(join(root, "provider", "dist", "THIRD-PARTY-LICENSES.txt"), "utf8");
  const named = [...licenses.matchAll(/^=+\n(\S+) \S+\nLicense: .+\nSource: \S+\n\n\S/gm)].map(([, name]) => name);
  expect(named).toEqual(expect.arrayContaining(bundled));
  // A package that is only a dependency of a bundled one.
  expect(named).toContain("body-parser");
});

test("importing the package opens nothing and loads nothing heavy", () => {
  // A process of its own, because this one has loaded everything already.
  const script = `
    require("@pulumi/pulumi");
    const before = new Set(Object.keys(require.cache));
    require("pulumi-cloudvoice");
    console.log(Object.keys(require.cache).filter((file) => !before.has(file)).join("\\n"));`;
  const loaded = execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" });
  const files = loaded.trim().split("\n");
  expect(files.map((file) => file.replace(/.*node_modules.|.*provider./, ""))).toEqual([
    "dist/index.js",
    "safe-stable-stringify/index.js",
  ]);
});
