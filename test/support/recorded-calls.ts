import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { put, root, temporaryFolder } from "./files";

/**
 * A `node_modules` folder whose `pulumi-cloudvoice/provider` writes each call to a file before it delegates to the
 * built package. A resource is known by the first of its `triggers`, because no call names its resource.
 */
export function recordingModules(): { modules: string; takeCalls: () => Map<string, string[]> } {
  const modules = temporaryFolder();
  const file = join(modules, "calls.jsonl");
  const dist = join(root, "provider", "dist");
  mkdirSync(join(modules, "pulumi-cloudvoice"));
  symlinkSync(join(root, "node_modules", "@pulumi"), join(modules, "@pulumi"));
  put(modules, "pulumi-cloudvoice/package.json", JSON.stringify({ name: "pulumi-cloudvoice", main: "index.js" }));
  put(modules, "pulumi-cloudvoice/index.js", `module.exports = require(${JSON.stringify(join(dist, "index.js"))});`);
  put(
    modules,
    "pulumi-cloudvoice/provider.js",
    `const { appendFileSync } = require("node:fs");
const real = require(${JSON.stringify(join(dist, "provider.js"))});
const described = {
  check: (olds, news) => ["check" + (Object.keys(olds).length > 0 ? "(olds)" : "({})"), news],
  diff: (id, olds) => ["diff", olds],
  create: (inputs) => ["create", inputs],
  update: (id, olds) => ["update", olds],
  read: (id, props) => ["read", props],
  delete: (id, props) => ["delete", props],
};
for (const [name, provider] of Object.entries(real)) {
  exports[name] = { ...provider };
  for (const [method, describe] of Object.entries(described))
    exports[name][method] = (...args) => {
      const [call, properties] = describe(...args);
      appendFileSync(${JSON.stringify(file)}, JSON.stringify([String(properties.triggers[0]), call]) + "\\n");
      return provider[method](...args);
    };
}
`,
  );
  return {
    modules,
    takeCalls() {
      const calls = new Map<string, string[]>();
      for (const line of linesOf(file)) {
        const [resource, call] = JSON.parse(line) as [string, string];
        calls.set(resource, [...(calls.get(resource) ?? []), call]);
      }
      rmSync(file, { force: true });
      return calls;
    },
  };
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").trim().split("\n");
  } catch {
    // No call was made.
    return [];
  }
}
