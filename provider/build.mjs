// One CommonJS file per entry point. Dependencies stay outside, with two exceptions that become part of our files: packages
// that are ES modules only, which a user's own Jest could not load, and mediabunny, whose types disturb a user's compiler.
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
  // Two files are large and needed rarely, so they are loaded on demand: `measure.js` when an audio file is measured, and
  // `emulator.js` by the command `cloudvoice emulator`.
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
