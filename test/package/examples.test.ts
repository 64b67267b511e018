import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { root } from "../support/files";
import { getEngine } from "../../tools/engine/engine";

test("the tests of the testing example pass with only the ts-jest preset configured", async () => {
  const { folder } = await getEngine();
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CLOUDVOICE_|PULUMI_|JEST_)/.test(name)),
  );
  const run = spawnSync("npm", ["test", "--", "--testTimeout=900000"], {
    cwd: join(root, "examples", "testing"),
    encoding: "utf8",
    env: { ...clean, PATH: `${folder}${delimiter}${process.env.PATH ?? ""}`, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  expect(`${run.stdout}\n${run.stderr}`).toMatch(/Tests: +2 passed, 2 total/);
});
