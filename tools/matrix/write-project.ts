import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeProgram } from "../plugin-stack";
import { putRecordings } from "../stack";
import type { Shared } from "./prepare";
import type { Project } from "./projects";

/**
 * Writes the project's files. `base` is the folder in which the package manager runs: the workspace's folder for a
 * member of a workspace, else the project's folder.
 */
export function writeProject(project: Project, base: string, folder: string, shared: Shared): void {
  const { manager, program } = project;
  mkdirSync(folder, { recursive: true });
  writeJson(join(folder, "package.json"), packageJson(project, shared));
  if (folder !== base) writeJson(join(base, "package.json"), { private: true, workspaces: ["infra"] });
  if (program === "typescript") writeJson(join(folder, "tsconfig.json"), { compilerOptions });
  if (manager === "yarn") writeFileSync(join(base, ".yarnrc.yml"), yarnSettings);
  if (manager.startsWith("pnpm")) writeFileSync(join(base, "pnpm-workspace.yaml"), pnpmSettings(project, shared));
  if (program === "yaml") writeProgram(folder, yamlProgram, "node_modules/pulumi-cloudvoice/plugin");
  else {
    writeFileSync(join(folder, "Pulumi.yaml"), "name: infra\nruntime: nodejs\n");
    writeFileSync(join(folder, program === "typescript" ? "index.ts" : "index.js"), programOf(project));
  }
  putRecordings(folder);
}

function packageJson({ program, sdk, layout }: Project, { tarball, companyTarball }: Shared) {
  const isComponent = layout === "component";
  return {
    name: "infra",
    version: "1.0.0",
    private: true,
    ...(program === "esm" && { type: "module" }),
    main: program === "typescript" ? "index.ts" : "index.js",
    dependencies: {
      "@pulumi/pulumi": sdk === "newest" ? "latest" : `~${sdk}.0`,
      ...(isComponent ? { "company-voices": `file:${companyTarball}` } : { "pulumi-cloudvoice": `file:${tarball}` }),
      ...(program === "typescript" && { typescript: "^5.9.0", "@types/node": "^20.0.0" }),
    },
  };
}

// `skipLibCheck` is off, so that the compiler checks the types of this package.
const compilerOptions = {
  target: "es2022",
  module: "commonjs",
  moduleResolution: "node10",
  strict: true,
  skipLibCheck: false,
  types: ["node"],
};

/** Pulumi's SDK has a dependency with an install script that it does not need, and pnpm 11 and newer ask whether to run it. */
function pnpmSettings({ layout }: Project, { tarball }: Shared): string {
  const settings = {
    allowBuilds: { protobufjs: false },
    // The override keeps strict pnpm from looking for this package in the registry.
    ...(layout === "component" && { overrides: { "pulumi-cloudvoice": `file:${tarball}` } }),
  };
  return JSON.stringify(settings);
}

const yarnSettings = "nodeLinker: node-modules\nenableTelemetry: false\nenableImmutableInstalls: false\n";

const yamlVoice = (audio: string) => ({
  type: "cloudvoice:CloudVoice",
  properties: { targetModel: "svc3-tts-vc-2026-01-22", audio },
});
const yamlProgram = { resources: { a: yamlVoice("a.wav"), b: yamlVoice("b.mp3") } };

function programOf({ program, layout }: Project): string {
  const from = layout === "component" ? "company-voices" : "pulumi-cloudvoice";
  const isCommonJs = program === "commonjs" || program === "native";
  return `${isCommonJs ? `const { VoiceCatalog } = require("${from}${program === "native" ? "/native" : ""}");` : `import { VoiceCatalog } from "${from}";`}
const catalog = new VoiceCatalog("voices", {
  defaults: { targetModel: "svc3-tts-vc-2026-01-22" },
  voices: { a: { audio: "a.wav" }, b: { audio: "b.mp3" } },
});
${isCommonJs ? "exports.manifest =" : "export const manifest ="} catalog.manifest;
`;
}

function writeJson(file: string, content: unknown): void {
  writeFileSync(file, JSON.stringify(content, null, 2));
}
