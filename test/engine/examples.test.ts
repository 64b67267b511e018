import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { root } from "../support/files";
import { getEngine } from "../../tools/engine/engine";

test("the example of users' own tests passes, with no configuration but a preset for TypeScript", async () => {
  const { folder } = await getEngine();
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CLOUDVOICE_|PULUMI_|JEST_)/.test(name)),
  );
  const run = spawnSync("npm", ["test"], {
    cwd: join(root, "examples", "testing"),
    encoding: "utf8",
    env: { ...clean, PATH: `${folder}${delimiter}${process.env.PATH ?? ""}`, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  expect(`${run.stdout}\n${run.stderr}`).toMatch(/Tests: +2 passed, 2 total/);
});
