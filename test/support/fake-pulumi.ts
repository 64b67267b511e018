import { chmodSync, readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { put, temporaryFolder } from "./files";

/**
 * Puts a `pulumi` at the head of PATH that prints an answer to each command that begins with these arguments, and fails
 * for others. Also removes the settings of this package from the environment. `jest.restoreAllMocks()` undoes both.
 * Returns a function that returns the commands so far.
 */
export function fakePulumi(answers: [args: string, answer: string][]): () => string[] {
  const cases = answers.map(([args, answer]) => `"${args}"*) echo '${answer}' ;;`);
  const folder = temporaryFolder();
  const log = put(folder, "calls", "");
  chmodSync(
    put(folder, "pulumi", `#!/bin/sh\necho "$*" >>'${log}'\ncase "$*" in\n${cases.join("\n")}\n*) exit 1 ;; esac\n`),
    0o755,
  );
  const variables = Object.keys(process.env).filter((name) => name.startsWith("CLOUDVOICE_"));
  jest.replaceProperty(process, "env", {
    ...process.env,
    ...Object.fromEntries(variables.map((name) => [name, undefined])),
    PATH: [folder, process.env.PATH].join(delimiter),
  });
  return () => readFileSync(log, "utf8").trimEnd().split("\n");
}
