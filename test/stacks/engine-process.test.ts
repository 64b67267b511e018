import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backendIdentity } from "../../provider/src/stacks/backend";
import { engineProcess } from "../../provider/src/stacks/engine-process";
import { placeOfEngine } from "../../provider/src/stacks/pulumi-states";
import { temporaryFolder } from "../support/files";

/** Where the engine of an operation runs, by the processes of the system. */

/** The folder of processes, with one that runs this program, and its ancestors in turn. */
function processes(...programs: string[]): string {
  const proc = temporaryFolder();
  for (const [index, program] of programs.entries()) {
    const folder = join(proc, String(100 + index));
    mkdirSync(folder);
    symlinkSync(program, join(folder, "exe"));
    symlinkSync(`/work of ${program}`, join(folder, "cwd"));
    writeFileSync(join(folder, "stat"), `${100 + index} (a) name) S ${101 + index} 1 1`);
  }
  return proc;
}

test.each<[what: string, programs: string[], executable: string | undefined]>([
  ["the parent", ["/opt/pulumi"], "/opt/pulumi"],
  ["the parent of a shell", ["/bin/dash", "/opt/v3/pulumi"], "/opt/v3/pulumi"],
  ["a wrapped executable", ["/bin/bash", "/nix/.pulumi-wrapped"], "/nix/.pulumi-wrapped"],
  ["not a language host", ["/opt/pulumi-language-nodejs", "/opt/pulumi"], "/opt/pulumi"],
  ["none without an engine", ["/bin/bash", "/usr/bin/node"], undefined],
])("the engine is found: %s", (_, programs, executable) => {
  const engine = engineProcess(100, processes(...programs));
  expect(engine).toEqual(executable && { executable, folder: `/work of ${executable}` });
});

test("on a system that does not tell, the folder of the program must show the project, or the environment the backend", () => {
  const folder = temporaryFolder();
  const inside = join(folder, "dist", "voices");
  mkdirSync(inside, { recursive: true });
  delete process.env.PULUMI_BACKEND_URL;
  jest.spyOn(process, "cwd").mockReturnValue(inside);
  expect(() => placeOfEngine(undefined)).toThrow(/the project of this operation was not found.*Set PULUMI_BACKEND_URL/);
  writeFileSync(join(folder, "Pulumi.yaml"), "name: p");
  expect(placeOfEngine(undefined)).toEqual({});
});

test("a hosted backend is the same by the page of a user and by the address of its API", () => {
  expect(backendIdentity("https://app.pulumi.com/anna")).toBe(backendIdentity("https://api.pulumi.com"));
  expect(backendIdentity("https://api.pulumi.com")).not.toBe(backendIdentity("https://pulumi.acme.example"));
});
