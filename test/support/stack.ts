import type { Emulator } from "../../provider/src/emulator";
import { type Run, Stack as AnyStack } from "../../tools/stack";
import { temporaryFolder } from "./files";

export type Stack = AnyStack;

/** A project in a folder that ends with its test. */
export const Stack = {
  create: (
    emulator: Pick<Emulator, "url" | "apiKey">,
    settings: Record<string, string> = {},
    name = "dev",
  ): Promise<Stack> => AnyStack.in(temporaryFolder(), emulator, { settings, name }),
};

/** How often the run's closing diagnostics say this; the engine shows each line once more while it runs. */
export function said(run: Run, text: string): number {
  const diagnostics = run.output.slice(run.output.indexOf("Diagnostics:"));
  return diagnostics.split(text).length - 1;
}

/** How many resources the run's summary says were treated so: `created`, `updated`, `replaced`, `deleted`, `unchanged`. */
export function counted(run: Run, what: string): number {
  return Number(new RegExp(`(\\d+) (?:to )?${what}`).exec(run.output)?.[1] ?? 0);
}
