import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { type Command, Option } from "commander";
import { version } from "../../package.json";
import { attempt } from "../describe-thrown";
import { InputError } from "../errors";
import { makeFolder, readRegularFile, replaceFile } from "../files";
import { isRecord } from "../rules/values";
import { shellQuoted, visible } from "../rules/visible";
import { howToInstallPulumi, runPulumi } from "../run-pulumi";
import { projectFileIn } from "./stacks/project-file";
import { commandsOfVenv } from "../system-path";
import { type Host, initPipeline, pipelineHosts, templatesFolder } from "./init-pipeline";
import { printLine } from "./print";

/**
 * The folders of `templates` that make a project. If two folders have a file of the same name, `package.json` is
 * merged, and other texts are appended.
 */
const templates = {
  typescript: ["shared", "tested", "typescript"],
  yaml: ["shared", "tested", "plugin", "yaml"],
  python: ["shared", "plugin", "python"],
};
type Language = keyof typeof templates;

/** The package manager that runs this command: `npx`, `pnpm dlx`, `yarn dlx`, `bunx`. */
const manager = /^(pnpm|yarn|bun)\//.exec(process.env.npm_config_user_agent ?? "")?.[1] ?? "npm";

export function addInitCommand(program: Command): void {
  program
    .command("init")
    .description("write a new project that runs with the emulator, or the pipeline of a project")
    .argument("[folder]", "the folder of the project; created if it does not exist", ".")
    .addOption(
      new Option("--language <language>", "the language of the program")
        .choices(Object.keys(templates))
        .default("typescript"),
    )
    .addOption(
      new Option(
        "--pipeline <host>",
        "write the pipeline of the project in the folder, and print what remains to be done",
      )
        .choices(pipelineHosts)
        .conflicts("language"),
    )
    .option("--environments <names>", 'with --pipeline: the stacks in update order, comma-separated (default: "prod")')
    .action(init);
}

interface InitOptions {
  language: Language;
  pipeline?: Host;
  environments?: string;
}

async function init(folder: string, { language, pipeline, environments }: InitOptions): Promise<void> {
  if (pipeline !== undefined) {
    initPipeline(folder, pipeline, (environments ?? "prod").split(","));
    return;
  }
  if (environments !== undefined) throw new InputError("--environments needs --pipeline github or gitlab.");
  if (projectFileIn(folder) !== undefined)
    throw new InputError(`${folder} has a Pulumi project already. Name another folder: init <folder>.`);
  makeFolder(folder);
  const { sampleRecording } = await import("../../emulator");
  const files = filesOf(language, nameOf(folder)).set("narrator.wav", sampleRecording("narrator.wav"));
  extendPackage(join(folder, "package.json"), files);
  const [existing, written]: [string[], string[]] = [[], []];
  for (const [name, content] of files) {
    const path = join(folder, name);
    (isThere(path) ? existing : written).push(name);
    if (!isThere(path)) writeFileSync(path, content, { flag: "wx" });
  }
  printLine(`Wrote to ${visible(resolve(folder))}: ${written.join(", ")}.`);
  if (existing.includes("package.json")) printLine("Added scripts and packages to package.json.");
  const untouched = existing.filter((name) => name !== "package.json");
  if (untouched.length > 0) printLine(`Did not change these files, which existed already: ${untouched.join(", ")}.`);
  const steps = [
    ...(resolve(folder) === process.cwd() ? [] : [`cd ${shellQuoted(pathFromHere(folder))}`]),
    `${manager} install${language === "python" ? ` && python3 -m venv venv && ${pip} install -r requirements.txt` : ""}`,
    `${manager} run up`,
  ];
  printLine(`Next:\n${steps.map((step) => `  ${step}`).join("\n")}`);
  if ((await runPulumi(["version"])).failure !== undefined)
    printLine(`The project needs Pulumi, which was not found. ${howToInstallPulumi}`);
}

/** A relative path for `cd`. With `./` in front, `cd` and shells take names such as `-rf`, `+1` or `=x` as paths. */
function pathFromHere(folder: string): string {
  const path = relative("", folder);
  return /^[\w./]/.test(path) ? path : `./${path}`;
}

/** Also true for a dangling link: a write through such a link would create a file elsewhere. */
const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const pip = join(commandsOfVenv(""), "pip");

function filesOf(language: Language, name: string): Map<string, string | Buffer> {
  const files = new Map<string, string | Buffer>();
  const values = { name, package: packageSource() };
  const valueOf = (_: string, key: keyof typeof values) => values[key];
  for (const template of [...templates[language], manager]) {
    const folder = join(templatesFolder, template);
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder)) {
      // Workaround: npm does not pack files named `.gitignore` or `.npmrc`, so the templates lack the dot.
      const target = ["gitignore", "npmrc"].includes(file) ? `.${file}` : file;
      const text = readFileSync(join(folder, file), "utf8").replace(/\{\{(name|package)\}\}/g, valueOf);
      const before = files.get(target);
      if (typeof before !== "string") files.set(target, text);
      else files.set(target, target === "package.json" ? merged(before, text) : before + text);
    }
  }
  return files;
}

/** Adds the scripts and packages of the new project to a package.json that exists. */
function extendPackage(file: string, files: ReadonlyMap<string, string | Buffer>): void {
  if (!isThere(file)) return;
  const bytes = readRegularFile(file, 10_000_000);
  if (bytes === undefined)
    throw new InputError(`${file} is not a regular file of at most 10 MB. Name another folder: init <folder>.`);
  const text = bytes.toString().replace(/^\ufeff/, "");
  const json = attempt((): unknown => JSON.parse(text));
  if (!isRecord(json))
    throw new InputError(`${file} is not a JSON object. Correct it, or name another folder: init <folder>.`);
  if (json.type === "module" && files.get("Pulumi.yaml")?.includes("main: index"))
    throw new InputError(
      `${file} has "type": "module", and the new program is a CommonJS module. Name another folder: init <folder>.`,
    );
  replaceFile(file, merged(String(files.get("package.json")), text));
}

/** Merges two JSON objects. Values of the second win; the keys of the first come first. */
function merged(general: string, special: string): string {
  const merge = (one: unknown, other: unknown): unknown => {
    if (!isRecord(one) || !isRecord(other)) return other;
    const entries = Object.entries(other).map(([key, value]) => [key, merge(one[key], value)]);
    return { ...one, ...Object.fromEntries(entries) };
  };
  return `${JSON.stringify(merge(JSON.parse(general), JSON.parse(special)), null, 2)}\n`;
}

/** Derives a name from the folder that both Pulumi and npm accept. */
function nameOf(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-");
  return name.replace(/^-+|(?<!-)-+$/g, "").slice(0, 100) || "voices";
}

/** The dependency of the project on this package: the packed file of this installation, or else the version. */
function packageSource(): string {
  const modules = join(__dirname, "..", "..");
  const lockFile = join(modules, ".package-lock.json");
  if (!existsSync(lockFile)) return `^${version}`;
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8")) as {
    packages?: Record<string, { resolved?: string }>;
  };
  const resolved = packages?.["node_modules/pulumi-cloudvoice"]?.resolved ?? "";
  return resolved.startsWith("file:") ? `file:${resolve(modules, "..", resolved.slice(5))}` : `^${version}`;
}
