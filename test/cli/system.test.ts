import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as z from "zod";
import { pulumiJson, runPulumi } from "../../provider/src/run-pulumi";
import { commandsOfVenv, programFile, pulumiPath, withPulumi } from "../../provider/src/system-path";
import { put, root, temporaryFolder } from "../support/files";

test.each([
  ["win32", "voices\\venv\\Scripts"],
  ["darwin", "voices/venv/bin"],
  ["linux", "voices/venv/bin"],
] as const)("on %s the commands of a virtual environment are in %s", (platform, folder) => {
  expect(commandsOfVenv("voices", platform)).toBe(folder);
});

test("on Windows a program's file has an ending", () => {
  expect(programFile("bin", "pulumi", "win32")).toBe("bin\\pulumi.exe");
  expect(programFile("bin", "pulumi", "linux")).toBe("bin/pulumi");
});

describe("Pulumi of its own folder, which npm's package `pulumi` and the Automation API fill", () => {
  const withCommand = (folder: string) => {
    chmodSync(put(folder, "pulumi", "#!/bin/sh\n"), 0o755);
    return folder;
  };
  let home: string;
  let versionFolder: (version: string) => string;
  let onPath: string;
  let ofProject: string;
  beforeAll(() => {
    home = temporaryFolder();
    versionFolder = (version) => join(home, "versions", version, "bin");
    for (const version of ["3.99.0", "3.259.0", "3.200.0"]) withCommand(versionFolder(version));
    // An installation that was broken off, and a folder of another name.
    put(versionFolder("3.300.0"), "pulumi", "");
    withCommand(versionFolder("latest"));
    onPath = withCommand(temporaryFolder());
    ofProject = withCommand(join(temporaryFolder(), "node_modules", ".bin"));
  });

  test("the newest is found after the PATH", () => {
    const empty = temporaryFolder();
    expect(pulumiPath({ PATH: empty, PULUMI_HOME: home })).toBe([empty, versionFolder("3.259.0")].join(delimiter));
    expect(pulumiPath({ PULUMI_HOME: home })).toBe(versionFolder("3.259.0"));
  });

  test("it is not used beside one of the PATH: its language hosts would run with another engine", () => {
    expect(pulumiPath({ PATH: onPath, PULUMI_HOME: home })).toBe(onPath);
  });

  test("one of node_modules/.bin is not one of the PATH, except for a command of the project", () => {
    expect(pulumiPath({ PATH: ofProject, PULUMI_HOME: home })).toBe(versionFolder("3.259.0"));
    expect(withPulumi(ofProject, { PULUMI_HOME: home })).toBe(ofProject);
  });

  test("without an installed one, and with a relative folder, the PATH stays as it is", () => {
    expect(pulumiPath({ PATH: "/bin-of-nothing", PULUMI_HOME: temporaryFolder() })).toBe("/bin-of-nothing");
    expect(pulumiPath({ PATH: "/bin-of-nothing", PULUMI_HOME: "home" })).toBe("/bin-of-nothing");
  });
});

test("two modules know the system, and no other", () => {
  const sources = join(root, "provider", "src");
  const knowing = readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .filter((name) => /process\.platform|os\.platform\(|"\/proc/.test(readFileSync(join(sources, name), "utf8")));
  expect(knowing.map((name) => name.replaceAll("\\", "/")).sort()).toEqual(["peer.ts", "system-path.ts"]);
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

test("printed JSON of another form is an error, which shows nothing of what was printed", async () => {
  const executable = put(temporaryFolder(), "pulumi", `#!/bin/sh\necho '{"key":"value"}'\n`);
  chmodSync(executable, 0o755);
  const schema = z.object({ another: z.string() });
  await expect(pulumiJson(["stack", "export"], schema, { executable })).rejects.toThrow(
    "`pulumi stack export` printed something that this release does not understand",
  );
});
