import { createInterface } from "node:readline/promises";
import { InputError } from "../errors";

interface Asked {
  yes: boolean;
  /** The start of the error message if nobody can be asked, e.g. `3 voices would be deleted`. */
  unasked: string;
  /** Shown before the question. */
  about: string;
}

/** Asks a person on the terminal. Throws if there is no terminal, unless `yes` is set. */
export async function isConfirmed(
  question: string,
  { yes, unasked, about }: Asked,
  terminal = process.stdin,
  screen: NodeJS.WritableStream = process.stderr,
): Promise<boolean> {
  if (yes) return true;
  if (!terminal.isTTY)
    throw new InputError(`${unasked}, and nobody can be asked, because the input is not a terminal`, {
      advice: "Add --yes to go on without a question.",
    });
  screen.write(`${about}\n`);
  const prompt = createInterface({ input: terminal, output: screen });
  try {
    // Ctrl-D may end the input without an answer. `setImmediate`: an answer that arrived just before wins the race.
    const ended = new Promise<string>((resolve) => prompt.once("close", () => setImmediate(resolve, "")));
    const answer = await Promise.race([prompt.question(`${question} [y/N] `), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}
