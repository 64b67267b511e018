import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { projectFileIn } from "../../provider/src/cli/stacks/project-file";

/** The names of the project and the stack. The input `stack` may be `acme/app/dev`. */
export function namesOf(folder: string, stack: string): { project: string; stack: string } {
  const [name = "", project = projectIn(folder)] = stack.split("/").reverse();
  return { project, stack: name };
}

function projectIn(folder: string): string {
  const file = projectFileIn(folder);
  if (file === undefined) throw new Error(`${folder} has no Pulumi.yaml. Set the input working-directory.`);
  const name = (parse(readFileSync(file, "utf8")) as { name?: unknown } | null)?.name;
  if (typeof name !== "string" || !/^[\w.-]+$/.test(name))
    throw new Error(`The name of the project in ${file} is missing or not valid.`);
  return name;
}

/** The name of the artifact. Names of projects and stacks can't contain `@`, so two stacks never share a name. */
export function artifactName({ project, stack }: { project: string; stack: string }): string {
  return `review-${project}@${stack}`;
}

/** The path of the command `pulumi-cloudvoice` of a folder. Undefined if the folder lacks this package. */
export function cliIn(folder: string): string | undefined {
  try {
    return join(
      dirname(createRequire(join(folder, "package.json")).resolve("pulumi-cloudvoice/package.json")),
      "dist",
      "cli.js",
    );
  } catch {
    return undefined;
  }
}
