import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Engine, getProgram } from "./engine/engine";
import { makeVirtualEnvironment } from "./engine/python";
import { generateSdks, writeGoModule } from "./generate-sdks";

/** The folders that a project's language needs on the PATH. `local` is the folder for its SDK, which is generated here. */
export async function prepareLanguage(project: string, local: string, engine: Engine): Promise<string[]> {
  const { runtime } = parse(readFileSync(join(project, "Pulumi.yaml"), "utf8")) as {
    runtime: string | { name: string };
  };
  const sdks = join(local, "sdks");
  switch (typeof runtime === "string" ? runtime : runtime.name) {
    case "yaml":
      return [getProgram("pulumi-language-yaml", engine)];
    case "python":
      await generateSdks(sdks, ["python"]);
      makeVirtualEnvironment(local, join(sdks, "python"));
      return [join(local, "venv", "bin"), getProgram("pulumi-language-python", engine)];
    case "go":
      await generateSdks(sdks, ["go"]);
      writeGoModule(sdks);
      return [join(import.meta.dirname, "engine", "language-go")];
    default:
      return [];
  }
}
