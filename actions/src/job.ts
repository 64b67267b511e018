import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { getInput } from "@actions/core";
import { exec } from "@actions/exec";

/** Returns a variable that the runner sets in each job. */
export function ofRunner(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set. Run this as an action of GitHub.`);
  return value;
}

/** The folder of the Pulumi project in a checkout. */
export function projectFolder(checkout = ofRunner("GITHUB_WORKSPACE")): string {
  return join(checkout, getInput("working-directory") || ".");
}

/** Runs work, e.g. a program, whose output the runner must not take as workflow commands. */
export async function withoutCommands<T>(work: () => Promise<T>): Promise<T> {
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n`);
  try {
    return await work();
  } finally {
    process.stdout.write(`::${token}::\n`);
  }
}

/** Runs a command, which the runner may kill if the job is cancelled. Throws if the command fails. */
export async function execute(name: string, args: string[], cwd: string, env: Record<string, string>): Promise<void> {
  await withoutCommands(() => exec(name, args, { cwd, env }));
}
