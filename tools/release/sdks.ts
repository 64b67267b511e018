import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../provider/package.json";
import schema from "../../provider/plugin/schema.json";
import { getPythonPackages, makeVirtualEnvironment } from "../engine/python";
import { exampleIn } from "../generate/examples";
import { compileJavaSdk, generateSdks, writeGoModule } from "../generate-sdks";
import { run } from "../run";

const importPath = schema.language.go.importBasePath;
const goModule = importPath.replace(/\/go\/cloudvoice$/, "");
const wheel = `pulumi_cloudvoice-${version}-py3-none-any.whl`;
/** The archive of a Go module, in the proxy's format. */
const goZip = `pulumi-cloudvoice-sdk-go-v${version}.zip`;

/** A zip without folders. Python's own `zipfile` command adds them. */
const zipOfFiles = `
import pathlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for path in sorted(pathlib.Path(sys.argv[2]).rglob("*")):
        if path.is_file():
            archive.write(path)
`;

/** Makes the SDKs of a release: a wheel, a Go module, and sources for C# and Java. `work`: an empty folder. */
export async function makeSdks(into: string, work: string): Promise<void> {
  const languages = ["python", "go", "dotnet", "java"] as const;
  await generateSdks(work, languages);
  // Uses the cached build tools. An isolated build would download them.
  const options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", into];
  run("python3", ["-m", "pip", "wheel", ...options, join(work, "python")], {
    env: { PYTHONPATH: getPythonPackages() },
  });

  const module = `${goModule}@v${version}`;
  const folder = join(work, "zip", module);
  mkdirSync(folder, { recursive: true });
  cpSync(join(work, "go"), join(folder, "go"), { recursive: true });
  writeGoModule(folder);
  run("python3", ["-c", zipOfFiles, join(into, goZip), module], { cwd: join(work, "zip") });

  for (const language of ["dotnet", "java"] as const)
    run("tar", ["-czf", join(into, `pulumi-cloudvoice-sdk-${language}-v${version}.tar.gz`), "-C", work, language]);
}

/** Installs each SDK as users do, and compiles or runs an example with it. `work`: the folder of `makeSdks`. */
export function proveSdks(from: string, work: string, log: (line: string) => void): void {
  makeVirtualEnvironment(work, join(from, wheel));
  run(join(work, "venv", "bin", "python"), ["-c", "import pulumi_cloudvoice; pulumi_cloudvoice.CloudVoice"]);
  log(`${wheel}: installed by pip, imported`);

  const proxy = join(work, "proxy", goModule, "@v");
  const program = join(work, "program");
  for (const each of [proxy, program]) mkdirSync(each, { recursive: true });
  const of = (extension: string) => join(proxy, `v${version}.${extension}`);
  writeFileSync(join(proxy, "list"), `v${version}\n`);
  writeFileSync(of("info"), JSON.stringify({ Version: `v${version}` }));
  writeFileSync(of("mod"), readFileSync(join(work, "zip", `${goModule}@v${version}`, "go.mod")));
  cpSync(join(from, goZip), of("zip"));
  writeFileSync(join(program, "main.go"), exampleIn("go", "voice"));
  const others = run("go", ["env", "GOPROXY"]).trim();
  const env = { GOPROXY: `file://${join(work, "proxy")},${others}`, GONOSUMDB: goModule, GOFLAGS: "-mod=mod" };
  run("go", ["mod", "init", "example.com/program"], { cwd: program, env });
  run("go", ["get", `${importPath}@v${version}`], { cwd: program, env });
  run("go", ["vet", "./..."], { cwd: program, env });
  log(`${goZip}: installed by \`go get\` from a module proxy, an example compiled`);

  const examples = Object.fromEntries(
    (["voice", "image", "decision"] as const).map((kind) => [kind, exampleIn("java", kind)]),
  );
  log(
    `SDK for Java: ${compileJavaSdk(work, examples) ? "compiled, with its examples" : "not compiled: no javac or no mvn here"}`,
  );
  log("SDK for C#: generated; .NET is not among the tools of this command, so nothing compiled it");
}
