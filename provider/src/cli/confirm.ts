import { createInterface } from "node:readline/promises";
import { InputError } from "../errors";

interface Asked {
  /** Whether `--yes` is given. */
  yes: boolean;
  /** What the command leaves undone if nobody can be asked, as the start of an error message. */
  unasked: string;
  /** Shown before the question. */
  about: string;
}

/** Asks a person. Without a terminal there is nobody to ask. */
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
    // The input may end without an answer, or just after it.
    const ended = new Promise<string>((resolve) => prompt.once("close", () => setImmediate(resolve, "")));
    const answer = await Promise.race([prompt.question(`${question} [y/N] `), ended]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}
