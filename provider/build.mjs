// One CommonJS file per entry point. Dependencies stay outside, except those that exist as ES modules only: a user's own Jest
// could not load them; mediabunny brings types of its own that disturb a user's compiler. These become part of our files.
import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { build } from "esbuild";

process.chdir(import.meta.dirname);
rmSync("dist", { recursive: true, force: true });
// What npm shows of a package lies beside its package.json.
for (const file of ["README.md", "LICENSE"]) copyFileSync(`../${file}`, file);

const { dependencies, peerDependencies } = createRequire(import.meta.url)("./package.json");
await build({
  absWorkingDir: import.meta.dirname,
  // Two files are large and needed rarely, so they are loaded on demand: `measure.js` by the provider when it measures an
  // audio file, and `emulator.js` by the command `cloudvoice emulator`.
  plugins: [
    {
      name: "load-on-demand",
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/(measure|emulator)$/ }, ({ kind, path }) =>
          kind === "dynamic-import" ? { path: `./${basename(path)}.js`, external: true } : undefined,
        ),
    },
  ],
  entryPoints: {
    measure: "src/service/audio/measure.ts",
    index: "src/index.ts",
    provider: "src/provider.ts",
    emulator: "src/emulator/index.ts",
    cli: "src/cli/main.ts",
  },
  outdir: "dist",
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "cjs",
  external: Object.keys({ ...dependencies, ...peerDependencies }).flatMap((name) => [name, `${name}/*`]),
  // `import()` of an outside package becomes a `require` made late: Jest runs no real `import()`.
  supported: { "dynamic-import": false },
  loader: { ".html": "text" },
  logLevel: "warning",
});
if (!process.argv.includes("--no-types")) {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { stdio: "inherit" });
}
