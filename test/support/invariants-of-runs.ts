import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { Stack, type Run } from "../../tools/stack";
import { put, temporaryFolder } from "./files";
import { checkAfterEachTest, invariants } from "./invariants";

/** The set-up of the engine tests: watches every run of `pulumi` on a stack, and of the command line (cloudvoice.ts). */
checkAfterEachTest();
// The engine's runs are short: without collecting garbage they take a tenth less CPU. It begins at the limit.
Object.assign(process.env, { GOGC: "off", GOMEMLIMIT: "1GiB" });
Stack.watch = ({ folder, env }, args) => {
  const watched = watch(folder, env, args);
  return ({ code, output }: Run) => {
    // The log of the engine shows the configuration that it passes to a provider, and the colours of its own lines.
    if (args.some((arg) => arg.startsWith("-v="))) return;
    // An export with --show-secrets, and a configuration that is printed, show what the person asks for.
    if (args.includes("--show-secrets") || args[0] === "config") return;
    watched(code, output);
  };
};

/** The home of the runs, with files of a person. */
const home = temporaryFolder();
const own = [
  ".bashrc",
  ".ssh/id_rsa",
  ".config/app/settings.json",
  ".cache/app/data",
  ".npm/data",
  ".pulumi/data",
  "a.txt",
];
for (const name of own) put(home, name, "a person's own file");

/** Programs in other languages need the caches and the settings of their tools, which are in the real home. */
function useHome(folder: string, env: NodeJS.ProcessEnv): void {
  const project = readIfThere(join(folder, "Pulumi.yaml"))?.toString() ?? "";
  if (env.HOME === process.env.HOME && !/runtime"?:[^,}]*"?(python|go|dotnet|java)\b/.test(project)) env.HOME = home;
}

/** With no home of its own, Pulumi keeps its things in the person's. */
const mayWriteAtHome = (name: string, { PULUMI_HOME }: NodeJS.ProcessEnv) =>
  PULUMI_HOME === undefined && name.startsWith("~/.pulumi/") && name !== "~/.pulumi/data";

const filesAtHome = () => new Map(paths(home).map((path) => [`~/${relative(home, path)}`, digest(path)] as const));

export function watch(folder: string, env: NodeJS.ProcessEnv, args: string[]) {
  useHome(folder, env);
  const atHome = filesAtHome();
  if (env.CLOUDVOICE_API_KEY !== undefined) invariants.keepSecret("the key", env.CLOUDVOICE_API_KEY);
  for (const name of ["index.js", "index.ts", "Pulumi.yaml"]) declareSecrets(join(folder, name));
  const before = filesOf(folder);
  const scanned = new Map(written(folder));
  return (code: number, output: string) => {
    const command = args.join(" ");
    invariants.output(`the output of \`${command}\``, output);
    invariants.command({ args, code, output });
    invariants.unchanged(before, filesOf(folder), (name) => mayWrite(name, args));
    invariants.unchanged(atHome, filesAtHome(), (name) => mayWriteAtHome(name, env));
    for (const [path, version] of written(folder)) {
      if (scanned.get(path) === version) continue;
      const content = readIfThere(path);
      // The program names the folder of a picture, which may be a secret of its own.
      const name = isPicture(path) ? basename(path) : relative(folder, path);
      if (content !== undefined) invariants.file(name, content);
    }
  };
}

/** What a program declares as secret, in JavaScript or YAML. */
function declareSecrets(path: string): void {
  if (!existsSync(path)) return;
  const text = readFileSync(path, "utf8");
  const secrets = [...text.matchAll(/(?:\bsecret\(\s*|"?fn::secret"?:\s*)["'`]([^"'`]+)["'`]/g)].map(
    ([, value = ""]) => value,
  );
  for (const value of new Set(secrets)) {
    // What the program also has in clear is shown where it is in clear.
    const isAlsoOpen = text.split(value).length - 1 > secrets.filter((each) => each === value).length;
    if (!isAlsoOpen) invariants.keepSecret("a secret input", value);
  }
}

/** The person's own files in a project: not the state, the journal and what Pulumi and npm keep. */
function filesOf(folder: string): Map<string, string> {
  if (!existsSync(join(folder, "Pulumi.yaml"))) return new Map();
  return new Map(paths(folder, isOwn).map((path) => [relative(folder, path), digest(path)] as const));
}
const isOwn = (name: string) => !/^(\.local|\.home|\.state.*|node_modules|\.?venv|__pycache__)$/.test(name);

/** The files of states, the journal, saved reviews and pictures, each with what changes when it is written. */
function written(folder: string): [path: string, version: string][] {
  const states = join(folder, ".local", "state", ".pulumi");
  const all = [...paths(states), ...paths(join(folder, ".state"))];
  if (existsSync(join(folder, "Pulumi.yaml"))) all.push(...paths(folder, isOwn));
  return all.filter((path) => !isProgram(path)).map((path) => [path, versionOf(path)]);
}

/** A program has secrets in clear. */
const isProgram = (path: string) => /\.(js|ts|mjs|cjs|py|go|java|lock)$|Pulumi\.yaml$|package\.json$/.test(path);

const isPicture = (name: string) => /\.(png|jpg|webp|gif|bin|part)$/.test(name);

/** Pictures have folders that the program names. `--save` and `--output` name files. */
function mayWrite(name: string, args: string[]): boolean {
  return /^Pulumi\.[^/]+\.yaml$/.test(name) || isPicture(name) || args.includes(name);
}

function paths(folder: string, isIncluded: (name: string) => boolean = () => true): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!isIncluded(entry.name)) return [];
    return entry.isDirectory() ? paths(path, isIncluded) : entry.isFile() ? [path] : [];
  });
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    // Another process has removed it meanwhile.
    return undefined;
  }
}

const digest = (path: string) => {
  const content = readIfThere(path);
  return content === undefined ? "gone" : createHash("sha1").update(content).digest("hex");
};

function versionOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "gone" : `${found.mtimeMs} ${found.size}`;
}
