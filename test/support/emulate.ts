import { invariants } from "./invariants";
import type { Emulator } from "../../provider/emulator";
import { startTestEmulator } from "../../provider/emulator/emulator";
import type { TestOptions } from "../../provider/emulator/test-options";

const emulators: Emulator[] = [];
afterEach(async () => {
  await Promise.all(emulators.splice(0).map((emulator) => emulator.close()));
});

/** Starts an emulator, which is closed after the test. */
export async function emulate(options?: TestOptions): Promise<Emulator> {
  const emulator = await startTestEmulator(options);
  invariants.keepSecret("the key", emulator.apiKey);
  emulators.push(emulator);
  return emulator;
}

/** The ids of the voices of an account. The id of a voice is its name. */
export const voicesIn = (emulator: Emulator, account?: string): string[] =>
  emulator
    .voices(account)
    .map(({ voice }) => voice)
    .sort();
