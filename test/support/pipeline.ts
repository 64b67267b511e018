import { parse } from "yaml";
import { type Host, pipelineText } from "../../provider/src/cli/init-pipeline";
import { put, temporaryFolder } from "./files";

/** The text of the pipeline that `init --pipeline` writes for the project `program`. */
export function pipelineOf(host: Host, ...environments: string[]): string {
  const folder = temporaryFolder();
  put(folder, "Pulumi.yaml", "name: program\nruntime: nodejs\n");
  return pipelineText(host, environments, folder);
}

export const readPipeline = (host: Host, ...environments: string[]) =>
  parse(pipelineOf(host, ...environments), { merge: true }) as unknown;
