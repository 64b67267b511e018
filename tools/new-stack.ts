import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const project = "program";
/** As `pulumi stack init` makes it from the passphrase of `localBackend`. */
const salt = "v1:XGYNIu7jg5o=:v1:R6bhp0H8W1ua7LcT:Vub2CauGK5Go4PLgSyU0RFD6CPpM4g==";

/**
 * Writes the files of a new, selected stack into the folder of a project, with its state in `.local`. `pulumi stack init`
 * takes longer, and the tests make a hundred stacks. Returns false if the project is not called `program`.
 */
export function writeNewStack(folder: string, name: string): boolean {
  const file = readFileSync(join(folder, "Pulumi.yaml"), "utf8");
  if (!new RegExp(`^\\s*"?name"?: "?${project}\\b`, "m").test(file)) return false;
  const put = (content: string, ...path: string[]) => {
    const to = join(folder, ...path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, content);
  };
  const stack = `organization/${project}/${name}`;
  const state = join(folder, ".local", "state");
  const latest = {
    manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "" },
    secrets_providers: { type: "passphrase", state: { salt } },
    metadata: {},
  };
  put("version: 1\n", ".local", "state", ".pulumi", "meta.yaml");
  put(
    JSON.stringify({ version: 3, checkpoint: { stack, latest } }),
    ...[".local", "state", ".pulumi", "stacks", project, `${name}.json`],
  );
  put(`encryptionsalt: ${salt}\n`, `Pulumi.${name}.yaml`);
  // Pulumi remembers the selected stack in a file that is named after the path of the project.
  const hash = createHash("sha1")
    .update(join(realpathSync(folder), "Pulumi.yaml"))
    .digest("hex");
  put(
    JSON.stringify({ stacks: { [`${pathToFileURL(state).href}?metadata=skip`]: stack } }),
    ...[".local", "pulumi", "workspaces", `${project}-${hash}-workspace.json`],
  );
  return true;
}
