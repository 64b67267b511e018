/** Tests that need a build, the Pulumi engine or a browser. All others are unit tests. */
const engineTests = ["<rootDir>/test/engine/", "<rootDir>/test/package.test.ts", "<rootDir>/test/cli/page.test.ts"];

const common = {
  transform: {
    "^.+\\.[tj]s$": [
      "@swc/jest",
      { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  // These packages are ES modules only. The build bundles them; the tests of the sources compile them to CommonJS.
  transformIgnorePatterns: ["/node_modules/(?!(p-queue|p-timeout|eventemitter3)/)"],
  modulePathIgnorePatterns: ["<rootDir>/provider/dist", "<rootDir>/.local"],
};

/** @type {import("jest").Config} */
module.exports = {
  projects: [
    {
      ...common,
      displayName: "unit",
      testMatch: ["<rootDir>/test/**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/", ...engineTests],
    },
    {
      ...common,
      displayName: "engine",
      testMatch: engineTests.map((path) => (path.endsWith("/") ? `${path}**/*.test.ts` : path)),
    },
  ],
  testSequencer: "<rootDir>/test/support/longest-first.mjs",
  testTimeout: 300_000,
  // Engine tests often wait for child processes, so more of them run than a small machine has cores.
  maxWorkers: 4,
};
