const esModules = [
  "music-metadata",
  "@borewit/text-codec",
  "@tokenizer/inflate",
  "fast-string-truncated-width",
  "fast-string-width",
  "fast-wrap-ansi",
  "file-type",
  "marked",
  "media-typer",
  "p-limit",
  "strtok3",
  "token-types",
  "uint8array-extras",
  "win-guid",
  "yocto-queue",
];

const swc = (module) => ({
  jsc: { target: "es2022", parser: { syntax: "typescript" } },
  module: { type: "commonjs", ...module },
});

const ownStateFolder = "<rootDir>/test/support/own-state-folder.ts";
const watchedRuns = "<rootDir>/test/support/invariants-of-runs.ts";

/** The tests that need a build and the Pulumi engine, by the folder of `test`. All others are unit tests. */
const engineTests = {
  engine: { setUp: [watchedRuns] },
  /** With commands of their own, because they take long: `npm run test:simulation` and so on. */
  simulation: { setUp: [ownStateFolder, watchedRuns], folders: ["simulation", "dialects"] },
  backends: { setUp: [watchedRuns] },
  faces: { setUp: [watchedRuns] },
  package: { setUp: [] },
  chaos: { setUp: [] },
};
const foldersOf = ([name, { folders = [name] }]) => folders.map((folder) => `<rootDir>/test/${folder}/`);

const common = {
  testEnvironment: "<rootDir>/test/support/environment.cjs",
  transform: {
    // It imports content-type 2, a CommonJS module without a default export, by default. Node.js allows that.
    "/music-metadata/lib/ParserFactory\\.js$": ["@swc/jest", swc({ importInterop: "node" })],
    "^.+\\.[tj]s$": ["@swc/jest", swc({})],
  },
  // These packages are ES modules only. The build bundles them; tests of the sources load them through the transform.
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join("|")})/)`],
  // The program of the thread that measures recordings is built. The next two have no export for `require`, so Jest cannot find them by name (music-metadata 11, file-type 21).
  moduleNameMapper: {
    "^(\\.{1,2}/)+(audio/)?measure-thread$": "<rootDir>/test/support/measure-thread.ts",
    "^music-metadata$": "<rootDir>/node_modules/music-metadata/lib/core.js",
    "^file-type$": "<rootDir>/node_modules/file-type/core.js",
    // Of zod's fifty languages, only English is used, and each test file would load all of them.
    "^\\.\\./locales/index\\.cjs$": "<rootDir>/node_modules/zod/v4/locales/en.cjs",
  },
  // Jest runs a test in a context of its own, where each use of a global one is slow: half of the time of some tests.
  sandboxInjectedGlobals: ["Array", "Infinity", "JSON", "Math", "Number", "Object"],
  modulePathIgnorePatterns: ["<rootDir>/provider/dist", "<rootDir>/provider/templates", "<rootDir>/.local"],
};

// Not UTC, so that a time that is read as a local one by mistake fails a test.
process.env.TZ = "Asia/Kolkata";
// The package warns in a pipeline that keeps no journal. A test that means a pipeline sets the variable itself.
process.env.IS_TESTED_IN_PIPELINE = process.env.CI ?? "";
delete process.env.CI;
// Jest sets FORCE_COLOR for its workers on a terminal. Commands would then print colours into what the tests read.
process.env.NO_COLOR = "1";

/** @type {import("jest").Config} */
module.exports = {
  projects: [
    {
      ...common,
      setupFilesAfterEnv: [ownStateFolder],
      displayName: "unit",
      testMatch: ["<rootDir>/test/**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/", ...Object.entries(engineTests).flatMap(foldersOf)],
    },
    ...Object.entries(engineTests).map(([displayName, tests]) => ({
      ...common,
      setupFilesAfterEnv: tests.setUp,
      displayName,
      testMatch: foldersOf([displayName, tests]).map((folder) => `${folder}**/*.test.ts`),
    })),
  ],
  testTimeout: 900_000,
};
