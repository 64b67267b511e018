import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LedgerSummary } from "../../provider/emulator";
import { root } from "../local";
import { pluginFolder, writeProgram } from "../plugin-stack";

/** A check. It runs in its own folder, in which the package is installed, and with its own emulator. */
export interface Check {
  suite: string;
  promise: string;
  run(tools: Tools): Promise<void>;
  /** The creates, deletes, submissions and decisions that the service saw. Default: none. */
  calls?: LedgerSummary["calls"];
}

export interface Tools {
  /** The folder of the project. */
  folder: string;
  pulumi: (...args: string[]) => Promise<string>;
  /** Types a line into a shell. */
  type: (line: string) => Promise<string>;
  /** Runs one of the Go tests in this folder. */
  goTest: (name: string, variables?: Record<string, string>) => Promise<void>;
  /** The name of a voice that exists in the account from the start. */
  seedVoice: () => string;
}

const schemaFile = join(pluginFolder, "schema.json");
const recorded = join(import.meta.dirname, "recorded");
const model = "svc3-tts-vc-2026-01-22";

const voice = { type: "cloudvoice:CloudVoice", properties: { targetModel: model, audio: "a.wav" } };
const resources = {
  narrator: voice,
  cover: { type: "cloudvoice:GeneratedImage", properties: { model: "svc-image", prompt: "A lighthouse" } },
  gate: {
    type: "cloudvoice:Decision",
    properties: {
      state: "All is well.",
      questions: { ok: { type: "noul", instructions: "Is it fine?" } },
      expect: { ok: { max: 1 } },
    },
  },
};

const providertest = "providertest 0.7.0";

const suites: Check[] = [
  {
    suite: providertest,
    promise: "preview, up, empty preview, refresh and up, destroy",
    run: ({ folder, goTest: run }) => {
      writeProgram(folder, { resources }, "");
      return run("TestProviderLifeCycle");
    },
    calls: { create: 1, delete: 1, submit: 1, decide: 1 },
  },
  {
    suite: providertest,
    promise: "import of a voice, which then is the program's",
    run: ({ folder, goTest: run, seedVoice }) => {
      writeProgram(folder, { resources: { narrator: voice } }, "");
      return run("TestProviderImport", { PEERS_VOICE: seedVoice() });
    },
    calls: { delete: 1 },
  },
  ...readdirSync(recorded).map((version): Check => {
    const upgrade = `empty preview of the state that ${version} recorded`;
    return {
      suite: providertest,
      promise: upgrade,
      run: ({ folder, goTest: run }) => {
        writeProgram(folder, { resources }, "");
        return run("TestProviderUpgrade", { PEERS_BASELINE: version, PEERS_RECORDED: recorded });
      },
      calls: {},
    };
  }),
];

/** Programs with the SDK that `pulumi package add` generates. */
const programs = {
  python: {
    "Pulumi.yaml": { name: "program", runtime: { name: "python", options: { toolchain: "pip", virtualenv: "venv" } } },
    "requirements.txt": "pulumi>=3,<4\n",
    "__main__.py": `import pulumi_cloudvoice as cv\ncv.CloudVoice("narrator", target_model="${model}", audio="a.wav")\n`,
  },
  nodejs: {
    "Pulumi.yaml": { name: "program", runtime: { name: "nodejs", options: { typescript: false } } },
    "package.json": { name: "program", private: true, dependencies: { "@pulumi/pulumi": "3.248.0" } },
    "index.js": `const { CloudVoice } = require("pulumi-cloudvoice");
      new CloudVoice("narrator", { targetModel: "${model}", audio: "a.wav" });`,
  },
};

/** The path as users type it: relative to the project. */
const installedFolder = "./node_modules/pulumi-cloudvoice/plugin";
const places = [
  ["folder", installedFolder],
  ["executable", `${installedFolder}/pulumi-resource-cloudvoice`],
] as const;

async function upAndDestroy({ pulumi }: Tools): Promise<void> {
  await pulumi("stack", "init", "dev");
  await pulumi("up", "--yes", "--skip-preview");
  await pulumi("destroy", "--yes", "--skip-preview");
}

/** Each line of the pages that gives Pulumi the folder of the installed package, as it stands there. */
function documentedLines(): { page: string; line: string }[] {
  const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => join("docs", name))];
  return pages
    .filter((page) => page.endsWith(".md"))
    .flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(/(?:^|`)(pulumi [^`\n]*node_modules[^`\n]*)/gm)].map(
        ([, line = ""]) => ({ page, line }),
      ),
    );
}

const commands: Check[] = [
  {
    suite: "pulumi schema check",
    promise: "no finding",
    run: async ({ pulumi }) => {
      const output = await pulumi("schema", "check", schemaFile);
      if (/warning|error/i.test(output)) throw new Error(output);
    },
  },
  ...places.map(([place, path]): Check => ({
    suite: "pulumi package get-schema",
    promise: `from the ${place}: the schema of the package`,
    run: async ({ pulumi }) => {
      const [served, written] = [
        await pulumi("package", "get-schema", path),
        await pulumi("package", "get-schema", schemaFile),
      ];
      if (served !== written) throw new Error("the schema that the plugin serves differs from plugin/schema.json");
    },
  })),
  ...["python", "nodejs"].flatMap((language) =>
    places.map(([place, path]): Check => ({
      suite: "pulumi package gen-sdk",
      promise: `${language}, from the ${place}`,
      run: async ({ pulumi, folder }) => {
        await pulumi("package", "gen-sdk", path, "--language", language, "--out", join(folder, "sdk"));
        if (readdirSync(join(folder, "sdk", language)).length === 0) throw new Error("no file was written");
      },
    })),
  ),
  {
    suite: "pulumi package add",
    promise: "yaml, from the executable: up, destroy",
    run: async (tools) => {
      // For an executable, Pulumi.yaml gets only the version, so the path is written here.
      writeProgram(tools.folder, { resources: { narrator: voice } }, installedFolder);
      await tools.pulumi("package", "add", `${installedFolder}/pulumi-resource-cloudvoice`);
      await upAndDestroy(tools);
    },
    calls: { create: 1, delete: 1 },
  },
  ...documentedLines().map(({ page, line }): Check => {
    const adds = line.startsWith("pulumi package add ");
    return {
      suite: page,
      promise: line,
      run: async (tools) => {
        if (adds) writeProgram(tools.folder, { resources: { narrator: voice } }, "");
        await tools.type(line);
        if (adds) await upAndDestroy(tools);
      },
      ...(adds && { calls: { create: 1, delete: 1 } }),
    };
  }),
  ...Object.entries(programs).flatMap(([language, files]) =>
    places.map(([place, path]): Check => ({
      suite: "pulumi package add",
      promise: `${language}, from the ${place}: up, destroy`,
      run: async (tools) => {
        // The SDK for Node.js has the npm package's name and would replace it.
        const folder = language === "nodejs" ? "./vendor/plugin" : installedFolder;
        if (language === "nodejs")
          renameSync(join(tools.folder, "node_modules", "pulumi-cloudvoice"), join(tools.folder, "vendor"));
        const plugins = place === "executable" && { providers: [{ name: "cloudvoice", path: folder }] };
        const all = { ...files, "Pulumi.yaml": { ...files["Pulumi.yaml"], ...(plugins && { plugins }) } };
        for (const [name, content] of Object.entries(all))
          writeFileSync(join(tools.folder, name), typeof content === "string" ? content : JSON.stringify(content));
        await tools.pulumi("package", "add", path.replace(installedFolder, folder));
        await upAndDestroy(tools);
      },
      calls: { create: 1, delete: 1 },
    })),
  ),
];

export const checks: readonly Check[] = [...suites, ...commands];
