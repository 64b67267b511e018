import eslint from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";
import quotedCommands from "./tools/quoted-commands.cjs";

/** The layers of the package, and the modules that each one must not import: the table of docs/contributing/code.md. */
const pulumi = ["@pulumi/*", "@grpc/*", "google-protobuf/*"];
const adapters = ["**/dynamic/**", "**/plugin/**", "**/program/**"];
const emulator = "**/emulator/**";
const processes = ["node:child_process", "**/run-pulumi"];
const rooms = [
  {
    files: ["provider/src/rules/**"],
    groups: [
      ...["**/service/**", "**/lifecycle/**", "**/cli/**", "**/run-pulumi", "**/files", ...adapters, emulator],
      ...["undici", "node:*", "!node:crypto", ...pulumi],
    ],
  },
  {
    files: ["provider/src/service/**"],
    groups: ["**/lifecycle/**", "**/cli/**", ...adapters, emulator, ...processes, ...pulumi],
  },
  { files: ["provider/src/lifecycle/**"], groups: ["**/cli/**", ...adapters, emulator, ...processes, ...pulumi] },
  {
    files: ["provider/src/dynamic/**"],
    groups: ["**/plugin/**", "**/program/**", "**/service/**", "**/cli/**", emulator, ...processes],
  },
  {
    files: ["provider/src/plugin/**"],
    groups: ["**/dynamic/**", "**/program/**", "**/cli/**", emulator, ...processes],
  },
  {
    files: ["provider/src/program/**", "provider/generated/**"],
    groups: ["**/lifecycle/**", "**/plugin/**", "**/cli/**", emulator, ...processes],
  },
  // Only commands read the states of the backend, and only they start processes.
  { files: ["provider/src/cli/**"], groups: ["**/lifecycle/**", ...adapters, emulator, ...pulumi] },
  {
    files: ["provider/src/cli/stacks/**"],
    groups: ["**/service/**", "**/lifecycle/**", ...adapters, emulator, ...pulumi],
  },
  {
    // A review shows what the provider planned. Only its command runs the preview, and only its page reads recordings.
    files: ["provider/src/cli/review/**"],
    ignores: ["provider/src/cli/review/command.ts", "provider/src/cli/review/page/recordings.ts"],
    groups: ["**/service/**", "**/lifecycle/**", "**/stacks/**", ...adapters, ...pulumi],
  },
  { files: ["provider/emulator/**"], groups: ["**/src/**", ...pulumi] },
];

export default defineConfig(
  globalIgnores([
    "provider/docs/**",
    "provider/templates",
    "**/dist/",
    "**/node_modules/",
    ".local/",
    "docs/reference/",
    "actions/review/run/index.js",
    "test/state/*/",
  ]),
  eslint.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "@typescript-eslint/consistent-type-imports": "error",
      // `"a" | (string & {})` accepts any string, and an editor still suggests "a".
      "@typescript-eslint/no-empty-object-type": ["error", { allowObjectTypes: "always" }],
    },
  },
  ...rooms.map(({ files, ignores = [], groups }) => ({
    ...{ files, ignores },
    rules: { "no-restricted-imports": ["error", { patterns: [{ group: groups }] }] },
  })),
  {
    files: ["provider/src/**"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "ImportDeclaration[importKind='value'][source.value='zod'] > ImportSpecifier",
          message: 'Write `import * as z from "zod"`. Otherwise each bundle has the error messages of fifty languages.',
        },
      ],
    },
  },
  {
    files: ["provider/src/**", "provider/emulator/**", "actions/src/**"],
    plugins: { cloudvoice: { rules: { "quoted-commands": quotedCommands } } },
    rules: { "cloudvoice/quoted-commands": "error" },
  },
  {
    // Log makes control characters visible; print.ts leaves no command for the runner of a pipeline.
    files: ["provider/src/**"],
    ignores: ["provider/src/cli/print.ts", "**/log.ts"],
    rules: { "no-console": "error" },
  },
  {
    files: ["test/**/*.ts"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off", "@typescript-eslint/no-unnecessary-condition": "off" },
  },
  {
    // The examples are written as users write them, and the arguments of Pulumi's mocks are untyped.
    files: ["examples/**/*.test.ts"],
    rules: {
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
    },
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: { globals: { module: "writable", process: "readonly", console: "readonly" } },
  },
  {
    files: ["**/*.browser.js"],
    languageOptions: {
      globals: { document: "readonly", window: "readonly", atob: "readonly", OfflineAudioContext: "readonly" },
    },
  },
);
