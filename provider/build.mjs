// One CommonJS file per entry point. `dependencies` stay outside; everything else that is imported is bundled:
// packages that are ES modules only, because a user's own Jest could not load them; mediabunny, because its types disturb
// a user's compiler; and what only the command line and the emulator need, so that users of the resources install little.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { isCurrent, noteBuilt, waitForTurn } from "./build/once.mjs";
import { removeInternalTypes } from "./build/types.mjs";
import { writeLicenses } from "./build/licenses.mjs";

process.chdir(import.meta.dirname);
await waitForTurn();
// `npm run up` builds only after a change.
const sources = [
  "src",
  "emulator",
  "build",
  "build.mjs",
  "package.json",
  "../package-lock.json",
  "../README.md",
  "../docs",
  "../actions/review",
].flatMap((path) => [
  path,
  ...(statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).map((name) => `${path}/${name}`) : []),
]);
if (process.argv.includes("--if-changed") && isCurrent(sources)) process.exit();
rmSync("dist", { recursive: true, force: true });
// Pulumi caches the schema of the plugin here, and reads it even if the schema has changed.
rmSync("schema-cloudvoice.json", { force: true });
// npm shows the README.md and the LICENSE that lie beside package.json.
const aboutLinks =
  "\n> The `examples` that this file and the pages link to are in the repository, and not in the npm package.\n";
writeFileSync("README.md", readFileSync("../README.md", "utf8") + aboutLinks);
// With the CRLF of a clone by Git for Windows, Linux would look for a program named "node\r".
for (const launcher of ["plugin/pulumi-resource-cloudvoice", "plugin/pulumi-resource-"]) {
  const text = readFileSync(launcher, "utf8");
  if (text.includes("\r")) writeFileSync(launcher, text.replaceAll("\r\n", "\n"));
}
copyFileSync("../LICENSE", "LICENSE");
copyFileSync("../SECURITY.md", "SECURITY.md");
rmSync("docs", { recursive: true, force: true });
cpSync("../docs", "docs", { recursive: true, filter: (path) => !/\W(contributing|reference)$/.test(path) });

const { dependencies, peerDependencies } = createRequire(import.meta.url)("./package.json");
const installed = Object.keys({ ...dependencies, ...peerDependencies });
const common = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  metafile: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  // `import()` of an outside package becomes a late `require`, because Jest does not run a real `import()`.
  supported: { "dynamic-import": false },
  // The parts of the page of a review.
  loader: { ".html": "text", ".css": "text", ".browser.js": "text" },
  logLevel: "warning",
};
// Large parts have files of their own that other entry points load only when they need them.
const separate = [keepSeparate(/^\.\/main$/, "./main.js"), keepSeparate(/^\.\.\/\.\.\/emulator$/, "./emulator.js")];
const separateHttp = [...separate, keepSeparate(/^\.\/undici$/, "./undici.js")];
const external = installed.flatMap((name) => [name, `${name}/*`]);
const library = await build({
  ...common,
  plugins: separateHttp,
  entryPoints: {
    index: "src/index.ts",
    provider: "src/provider.ts",
    emulator: "emulator/index.ts",
    cli: "src/cli/entry.ts",
    main: "src/cli/main.ts",
    undici: "src/service/undici.ts",
  },
  outdir: "dist",
  external,
});
// The thread that reads recordings of strangers. It bundles all packages, because the plugin has none beside it.
const measure = await build({
  ...common,
  entryPoints: { measure: "src/service/audio/measure.ts" },
  outdir: "dist",
});
// The same classes for the native plugin: only their registration differs.
const native = await build({
  ...common,
  plugins: [...separateHttp, replaced(/\/register$/, "src/program/register-native.ts")],
  entryPoints: { native: "src/native.ts" },
  outdir: "dist",
  external,
});
// The plugin is a program of its own that bundles all packages, because it also runs where none is installed. Each command
// of Pulumi starts it, so the text that Node.js has to read is short: it leaves out what only some commands need, and the
// package by which gRPC would serve statistics, which are off (plugin/server.ts).
const plugin = await build({
  ...common,
  plugins: separateHttp,
  external: ["@grpc/proto-loader"],
  entryPoints: { plugin: "src/plugin.ts" },
  outdir: "dist",
  minifySyntax: true,
  minifyWhitespace: true,
});
const outputs = {
  ...library.metafile.outputs,
  ...native.metafile.outputs,
  ...plugin.metafile.outputs,
  ...measure.metafile.outputs,
};
// `init --pipeline github` copies the action into projects.
cpSync("../actions/review", "dist/action", { recursive: true });
outputs.action = { inputs: inputsOf(readFileSync("dist/action/run/index.js", "utf8")) };
writeLicenses({ outputs }, "dist/THIRD-PARTY-LICENSES.txt");
if (!process.argv.includes("--no-types")) {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { stdio: "inherit" });
  removeInternalTypes(
    "dist",
    ["src/index.d.ts", "src/native.d.ts", "src/provider.d.ts", "emulator/index.d.ts"],
    Object.keys(peerDependencies),
  );
  noteBuilt();
}

/** The files in a bundle that is not minified: esbuild writes the path of each before its code. */
function inputsOf(bundle) {
  const paths = [...bundle.matchAll(/^ *\/\/ (node_modules\/\S+)$/gm)].map(([, path]) => `../${path}`);
  return Object.fromEntries(paths.map((path) => [path, { bytesInOutput: 1 }]));
}

function keepSeparate(filter, file) {
  return {
    name: `keep ${file} separate`,
    setup: ({ onResolve }) =>
      onResolve({ filter }, ({ kind }) => (kind === "entry-point" ? undefined : { path: file, external: true })),
  };
}

function replaced(filter, file) {
  return {
    name: `use ${file}`,
    setup: ({ onResolve }) => onResolve({ filter }, () => ({ path: join(import.meta.dirname, file) })),
  };
}
