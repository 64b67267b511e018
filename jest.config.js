/** @type {import("jest").Config} */
module.exports = {
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  transform: {
    "^.+\\.[tj]s$": [
      "@swc/jest",
      { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  // The package's build bundles these; tests of its sources load them as they are, as ES modules.
  transformIgnorePatterns: ["/node_modules/(?!(p-queue|p-timeout|eventemitter3)/)"],
  modulePathIgnorePatterns: ["<rootDir>/provider/dist", "<rootDir>/.local"],
  testTimeout: 120_000,
  maxWorkers: 2,
};
