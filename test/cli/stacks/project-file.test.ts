import { join } from "node:path";
import { projectHere } from "../../../provider/src/cli/stack";
import { nearestProjectFile } from "../../../provider/src/cli/stacks/project-file";
import { run } from "../command";
import { put, temporaryFolder } from "../../support/files";

/** The file of a project may have each name that Pulumi reads. */

test.each([
  ["Pulumi.yaml", "name: voices\nmain: program\nruntime: nodejs\n"],
  ["Pulumi.yml", "name: voices\nmain: program\nruntime: nodejs\n"],
  ["Pulumi.json", '{ "name": "voices", "main": "program", "runtime": "nodejs" }'],
])("%s is found from a folder inside, and init writes no second project beside it", async (name, content) => {
  const folder = temporaryFolder();
  put(folder, name, content);
  const inside = join(folder, "program", "recordings");
  expect(nearestProjectFile(inside)).toBe(join(folder, name));
  expect(projectHere(inside)).toMatchObject({ folder, name: "voices", main: "program" });
  await expect(run("init", folder)).rejects.toThrow(/has a Pulumi project already/);
});
