/**
 * `npm run lint`: fails if modules of the package import each other in a circle, also if only by their types. Whoever
 * changes one module of a circle has to know all of them.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { root } from "./local";

const source = join(root, "provider");

/** The modules of the package that a module imports. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"));
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith("."))
    .map(({ fileName }) => `${join(dirname(file), fileName)}.ts`)
    .filter((imported) => existsSync(imported));
}

/** The first circle among the imports of a module. `path` leads to the module. */
function circleFrom(file: string, path: readonly string[], done: Set<string>): string[] | undefined {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
  if (done.has(file)) return undefined;
  for (const imported of importsOf(file)) {
    const circle = circleFrom(imported, [...path, file], done);
    if (circle !== undefined) return circle;
  }
  done.add(file);
  return undefined;
}

const done = new Set<string>();
const circles = ["src", "generated", "emulator"]
  .flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  )
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => {
    const circle = circleFrom(join(source, file), [], done);
    return circle === undefined ? [] : circle.map((each) => relative(source, each)).join(" > ");
  });
for (const circle of new Set(circles)) console.error(`Modules import each other in a circle: ${circle}`);
if (circles.length > 0) process.exitCode = 1;
