const esModules = [
  "music-metadata",
  "@borewit/text-codec",
  "@tokenizer/inflate",
  "fast-string-truncated-width",
  "fast-string-width",
  "fast-wrap-ansi",
  "file-type",
  "media-typer",
  "strtok3",
  "token-types",
  "uint8array-extras",
  "win-guid",
];

const swc = (module) => ({
  jsc: { target: "es2022", parser: { syntax: "typescript" } },
  module: { type: "commonjs", ...module },
});

/** Tests that need a build, the Pulumi engine or a browser. All others are unit tests. */
const engineTests = ["<rootDir>/test/engine/", "<rootDir>/test/cli/page.test.ts"];
/** Whole lives in a simulated world. Without an engine too, but each takes seconds. */
const simulations = ["<rootDir>/test/simulation/", "<rootDir>/test/dialects/"];
/** Tests with commands of their own, because they take long: `npm run test:backends` and so on. */
const longTests = Object.fromEntries(
  ["backends", "faces", "package", "chaos"].map((name) => [name, `<rootDir>/test/${name}/`]),
);
/** Those of them whose runs of the engine are watched, as those of the engine tests are. */
const watched = ["backends", "faces"];
const ownStateFolder = { setupFilesAfterEnv: ["<rootDir>/test/support/own-state-folder.ts"] };
const watchRuns = { setupFilesAfterEnv: ["<rootDir>/test/support/invariants-of-runs.ts"] };

const common = {
  transform: {
    // It imports content-type 2, a CommonJS module without a default export, by default. Node.js allows that.
    "/music-metadata/lib/ParserFactory\\.js$": ["@swc/jest", swc({ importInterop: "node" })],
    "^.+\\.[tj]s$": ["@swc/jest", swc({})],
  },
  // These packages are ES modules only. The build bundles them; tests of the sources load them through the transform.
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join("|")})/)`],
  // Both have no export for `require`, so Jest cannot find them by name (music-metadata 11, file-type 21).
  moduleNameMapper: {
    "^music-metadata$": "<rootDir>/node_modules/music-metadata/lib/core.js",
    "^file-type$": "<rootDir>/node_modules/file-type/core.js",
  },
  modulePathIgnorePatterns: ["<rootDir>/provider/dist", "<rootDir>/provider/templates", "<rootDir>/.local"],
};

// Not UTC, so that a time that is read as a local one by mistake fails a test.
process.env.TZ = "Asia/Kolkata";

/** @type {import("jest").Config} */
module.exports = {
  projects: [
    {
      ...common,
      ...ownStateFolder,
      displayName: "unit",
      testMatch: ["<rootDir>/test/**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/", ...engineTests, ...simulations, ...Object.values(longTests)],
    },
    {
      ...common,
      ...ownStateFolder,
      displayName: "simulation",
      testMatch: simulations.map((folder) => `${folder}**/*.test.ts`),
    },
    {
      ...common,
      ...watchRuns,
      displayName: "engine",
      testMatch: engineTests.map((path) => (path.endsWith("/") ? `${path}**/*.test.ts` : path)),
    },
    ...Object.entries(longTests).map(([displayName, folder]) => ({
      ...common,
      ...(watched.includes(displayName) && watchRuns),
      displayName,
      testMatch: [`${folder}**/*.test.ts`],
    })),
  ],
  testSequencer: "<rootDir>/test/support/longest-first.mjs",
  testTimeout: 300_000,
};
