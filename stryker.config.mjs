import { createRequire } from "node:module";

const [unit] = createRequire(import.meta.url)("./jest.config.js").projects;

/**
 * `npm run mutants`: changes the pure rules in small ways, and reports each change that no unit test notices. The
 * report is `.local/mutants/report.html`. To look at one file: `npm run mutants -- --mutate
 * provider/src/voices/judge/voice-count.ts`.
 *
 * @type {import("@stryker-mutator/api/core").PartialStrykerOptions}
 */
export default {
  mutate: ["provider/src/rules/**/*.ts", "provider/src/voices/judge/*.ts", "provider/src/voices/calls.ts"],
  // StrykerJS 10 needs Node.js 22, and the oldest Node.js that this repository supports is 20. Hence version 9.
  testRunner: "jest",
  plugins: ["@stryker-mutator/jest-runner", "./tools/mutants-ignore-messages.mjs"],
  ignorers: ["messages"],
  jest: {
    configFile: "jest.config.js",
    // Loads only the test files that import the mutated file. Loading all of them takes 4 seconds for each mutant. A
    // test that reaches a module through `jest.requireActual` with a computed path is not found, so each rule has a
    // test that imports it.
    enableFindRelatedTests: true,
    config: {
      ...unit,
      // One project, because each project reads the tree of files again for each mutant.
      projects: [],
      // The tables of the rules. The tests of the life cycles reach the rules too, and take a hundred times as long.
      testMatch: ["<rootDir>/test/rules/**/*.test.ts", "<rootDir>/test/voices/**/*.test.ts"],
    },
  },
  coverageAnalysis: "perTest",
  // A mutant in a constant of a module is evaluated once, when the module loads, so it cannot be switched on for one
  // test.
  ignoreStatic: true,
  concurrency: 2,
  // Workaround: each test file that Jest 30 runs leaves an AsyncLocalStorage behind, which slows down all later ones.
  maxTestRunnerReuse: 40,
  // Not copied into the sandbox. `node_modules` is linked there, not copied.
  ignorePatterns: [
    ".local",
    "coverage",
    "docs",
    "provider/dist",
    "provider/src/cli/**/*.html",
    "test/chaos",
    "test/engine",
    "test/backends",
    "test/faces",
    "test/package",
    "test/state",
  ],
  tempDirName: ".local/mutants/sandbox",
  reporters: ["progress-append-only", "clear-text", "html", "json"],
  clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
  htmlReporter: { fileName: ".local/mutants/report.html" },
  jsonReporter: { fileName: ".local/mutants/report.json" },
  // The run fails when tests notice fewer than 99 % of the mutants.
  thresholds: { high: 100, low: 99, break: 99 },
};
