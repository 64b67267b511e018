import { prepare, type Shared } from "../../tools/matrix/prepare";
import { isUnsupported, nameOf, type Project } from "../../tools/matrix/projects";
import { rejected, runProject } from "../../tools/matrix/run";
import { temporaryFolder } from "../support/files";

/** The quick part of `npm run matrix`: strict pnpm and Bun install the package, alone and below a component. */

const quick: Project[] = [
  { manager: "pnpm", program: "typescript", node: 20, sdk: "3.248", layout: "standalone" },
  { manager: "bun", program: "native", node: 20, sdk: "3.248", layout: "standalone" },
  { manager: "pnpm", program: "commonjs", node: 20, sdk: "3.248", layout: "component" },
];
let shared: Shared;
beforeAll(() => {
  shared = prepare(temporaryFolder(), quick);
});

test.each(quick.map((project) => [nameOf(project), project] as const))("%s", async (_, project) => {
  const expected = isUnsupported(project)
    ? { install: "ok", up: rejected }
    : { install: "ok", up: "ok", preview: "ok", refresh: "ok", destroy: "ok" };
  expect(await runProject(project, shared)).toEqual(expected);
});
