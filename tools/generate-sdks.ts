import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import schema from "../provider/plugin/schema.json";
import { programFile } from "./engine/build";
import { getEngine, getProgram } from "./engine/engine";
import { goCompile } from "./go-build";
import { localFolder, root } from "./local";
import { pluginFolder } from "./plugin-stack";

/** The generated languages. Programs for Node.js use `pulumi-cloudvoice/native`; `npm run peers` tries Pulumi's SDK. */
export const languages = ["python", "go", "dotnet", "java"] as const;

/**
 * Checks the plugin's schema with Pulumi's own loader, and generates the SDKs with Pulumi's own generators, each into a
 * folder with the name of its language.
 */
export async function generateSdks(folder: string, chosen: readonly (typeof languages)[number][] = languages) {
  const engine = await getEngine();
  const generate = (name: "generate-sdks" | "generate-sdk-java", ...of: string[]) =>
    execFileSync(
      join(getProgram(name, engine), programFile(name)),
      [join(pluginFolder, "schema.json"), folder, ...of],
      {
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
  const others = chosen.filter((language) => language !== "java");
  if (others.length > 0) generate("generate-sdks", ...others);
  if (chosen.includes("java")) generate("generate-sdk-java");
}

/** The jars that the SDK for Java needs, from Maven Central, or undefined where there is no `javac` or no `mvn`. */
function javaDependencies(folder: string): string | undefined {
  const has = (command: string) => spawnSync(command, ["-version"], { stdio: "ignore" }).status === 0;
  if (!has("javac") || !has("mvn")) return undefined;
  const [needed, version] = Object.entries(schema.language.java.dependencies)[0] ?? [];
  const [group, artifact] = needed?.split(":") ?? [];
  const element = (name: string, ...content: string[]) => `<${name}>${content.join("")}</${name}>`;
  const named = (...[groupId, artifactId, of]: (string | undefined)[]) =>
    Object.entries({ groupId, artifactId, version: of }).map(([name, text = ""]) => element(name, text));
  const dependency = element("dependencies", element("dependency", ...named(group, artifact, version)));
  writeFileSync(
    join(folder, "pom.xml"),
    element("project", element("modelVersion", "4.0.0"), ...named("local", "sdk", "1"), dependency),
  );
  execFileSync("mvn", ["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars"], { cwd: folder });
  return join(folder, "jars", "*");
}

/** Compiles the SDK for Java and programs by the names of their packages. Returns false if tools are missing. */
export function compileJavaSdk(folder: string, programs: Record<string, string>): boolean {
  const jars = javaDependencies(folder);
  if (jars === undefined) return false;
  for (const [name, program] of Object.entries(programs)) {
    mkdirSync(join(folder, "programs", name), { recursive: true });
    writeFileSync(join(folder, "programs", name, "App.java"), `package ${name};\n${program}`);
  }
  const sources = ["java", "programs"].flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".java"))
      .map((name) => join(folder, part, name)),
  );
  execFileSync("javac", ["-nowarn", "-cp", jars, "-d", join(folder, "classes"), ...sources], { stdio: "pipe" });
  return true;
}

/** The Go module of the SDKs, which pins Pulumi's SDK for Go. */
const goModule = join(import.meta.dirname, "engine", "sdk-go");

/** Compiles the dependencies of the SDK for Go, so that no test waits for them. */
export function compileGoDependencies(): void {
  for (const name of ["pulumi", "pulumi/config"])
    goCompile("the SDK for Go", { module: goModule, command: `github.com/pulumi/pulumi/sdk/v3/go/${name}` });
}

/** Makes the folder of generated SDKs a Go module with the name that their imports have. */
export function writeGoModule(folder: string): void {
  const module = schema.language.go.importBasePath.replace(/\/go\/cloudvoice$/, "");
  const text = readFileSync(join(goModule, "go.mod"), "utf8").replace(/^module .*/m, `module ${module}`);
  writeFileSync(join(folder, "go.mod"), text);
  copyFileSync(join(goModule, "go.sum"), join(folder, "go.sum"));
}

/** Compiles all Go packages in the folder. */
export function compileGoSdk(folder: string): void {
  writeGoModule(folder);
  goCompile("the SDK for Go", { module: folder, command: "./..." });
}

/** The SDK in the npm package. Programs in Python need no generator for it. */
export const packedPythonSdk = join(root, "provider", "sdk", "python");

/** `npm run plugin-sdks -- python go` */
async function main(names: string[]): Promise<void> {
  const chosen = languages.filter((language) => names.length === 0 || names.includes(language));
  const folder = join(localFolder, "sdks");
  await generateSdks(folder, chosen);
  if (chosen.includes("go")) compileGoSdk(folder);
  if (chosen.includes("python")) cpSync(join(folder, "python"), packedPythonSdk, { recursive: true });
  console.log(chosen.map((language) => join(folder, language)).join("\n"));
}

if (process.argv[1] === import.meta.filename) void main(process.argv.slice(2));
