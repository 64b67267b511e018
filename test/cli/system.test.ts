import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { pulumiJson, runPulumi } from "../../provider/src/run-pulumi";
import { exportedStack } from "../../provider/src/stacks/state";
import { commandsOfVenv } from "../../provider/src/system";
import { put, root, temporaryFolder } from "../support/files";

test.each([
  ["win32", "voices\\venv\\Scripts"],
  ["darwin", "voices/venv/bin"],
  ["linux", "voices/venv/bin"],
] as const)("on %s the commands of a virtual environment are in %s", (platform, folder) => {
  expect(commandsOfVenv("voices", platform)).toBe(folder);
});

test("three modules know the system, and no other", () => {
  const sources = join(root, "provider", "src");
  const knowing = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .filter((name) => /process\.platform|os\.platform\(|"\/proc/.test(readFileSync(join(sources, name), "utf8")));
  expect(knowing.map((name) => name.replaceAll("\\", "/")).sort()).toEqual([
    "peer.ts",
    "stacks/engine-process.ts",
    "system.ts",
  ]);
});

test("options for a person's own commands are not those of the commands that this package runs", async () => {
  const executable = put(temporaryFolder(), "pulumi", "#!/bin/sh\nenv\n");
  chmodSync(executable, 0o755);
  const options = { PULUMI_OPTION_TARGET: "a", pulumi_option_json: "true" };
  jest.replaceProperty(process, "env", { ...process.env, ...options, PULUMI_BACKEND_URL: "file:///states" });
  const { stdout } = await runPulumi(["preview"], { executable, variables: { OF_THE_CALL: "b" } });
  jest.restoreAllMocks();
  expect(stdout).not.toMatch(/pulumi_option/i);
  expect(stdout).toMatch(/^PULUMI_BACKEND_URL=file:\/\/\/states$/m);
  expect(stdout).toMatch(/^OF_THE_CALL=b$/m);
});

test("a damaged set in a printed state is named, and nothing else of what was printed", async () => {
  const type = "cloudvoice:index:VoiceSet";
  const set = { urn: `urn:pulumi:dev::p::${type}::voices`, type, id: "s", outputs: { voices: {}, leftovers: [null] } };
  const printed = JSON.stringify({ deployment: { resources: [set] } });
  const executable = put(temporaryFolder(), "pulumi", `#!/bin/sh\necho '${printed}'\n`);
  chmodSync(executable, 0o755);
  await expect(pulumiJson(["stack", "export"], exportedStack, { executable })).rejects.toThrow(
    /^The state of voices is damaged, .*: leftovers cannot be read/,
  );
  const other = z.object({ another: z.string() });
  await expect(pulumiJson(["stack", "export"], other, { executable })).rejects.toThrow(/does not understand$/);
});
