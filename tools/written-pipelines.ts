/** Writes the pipelines of `init --pipeline` to a folder, for one environment and for two: `github-dev,prod.yml`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipelineHosts, pipelineText } from "../provider/src/cli/init-pipeline";

const folder = process.argv[2] ?? ".";
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "Pulumi.yaml"), "name: voices\nruntime: nodejs\n");
for (const host of pipelineHosts)
  for (const environments of [["prod"], ["dev", "prod"]])
    writeFileSync(join(folder, `${host}-${environments.join()}.yml`), pipelineText(host, environments, folder));
