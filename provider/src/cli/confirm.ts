import { createInterface } from "node:readline/promises";
import { InputError } from "../errors";

interface Asked {
  yes: boolean;
  /** The start of the error message for an input that is not a terminal, e.g. `3 voices would be deleted`. */
  unasked: string;
  /** The text that is printed above the question. */
  about: string;
}

/** Asks a person on the terminal to confirm. With `yes`, returns true without asking. Throws without a terminal. */
export async function isConfirmed(
  question: string,
  { yes, unasked, about }: Asked,
  terminal = process.stdin,
  screen: NodeJS.WritableStream = process.stderr,
): Promise<boolean> {
  if (yes) return true;
  if (!terminal.isTTY)
    throw new InputError(`${unasked}, but nobody can be asked to confirm, because the input is not a terminal`, {
      advice: "To confirm in advance, add --yes.",
    });
  screen.write(`${about}\n`);
  const prompt = createInterface({ input: terminal, output: screen });
  try {
    // Ctrl-D ends the input without an answer. `setImmediate` lets an answer that came just before the end win.
    const ended = new Promise<string>((resolve) => prompt.once("close", () => setImmediate(resolve, "")));
    const answer = await Promise.race([prompt.question(`${question} [y/N] `), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}
