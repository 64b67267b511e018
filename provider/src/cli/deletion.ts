import { createInterface } from "node:readline/promises";
import { describeThrown } from "../describe-thrown";
import { InputError } from "../errors";
import { visible } from "../rules/visible";
import type { VoiceClient } from "../service/voices/client";
import { tableOfVoices, voiceCount, type ShownVoice } from "./listing";

/** What will be deleted, and what will not. */
export interface DeletionPlan {
  remove: ShownVoice[];
  /** Voices that were named and are not deleted, each with the reason. */
  refused: { voice: string; why: string }[];
}

/** Which of the voices that a user named can be deleted. `holderOf` names the resource that holds a voice. */
export function planDeletion(
  named: readonly string[],
  listed: readonly ShownVoice[],
  holderOf: (voice: string) => string | undefined,
): DeletionPlan {
  const rows = new Map(listed.map((row) => [row.voice, row]));
  const plan: DeletionPlan = { remove: [], refused: [] };
  for (const voice of new Set(named)) {
    const row = rows.get(voice);
    const holder = holderOf(voice);
    if (holder !== undefined) plan.refused.push({ voice, why: `${holder} holds it` });
    else if (row === undefined) plan.refused.push({ voice, why: "the account has no voice of this name" });
    else plan.remove.push(row);
  }
  return plan;
}

/** Lists the voices and asks. Without a terminal there is nobody to ask. */
export async function confirmDeletion(
  rows: ShownVoice[],
  yes: boolean,
  terminal = process.stdin,
  screen: NodeJS.WritableStream = process.stderr,
): Promise<boolean> {
  if (yes) return true;
  if (!terminal.isTTY) {
    throw new InputError(
      `${voiceCount(rows.length)} would be deleted, and nobody can be asked, because the input is not a terminal. ` +
        "Add --yes to delete without a question.",
    );
  }
  screen.write(`${tableOfVoices(rows)}\n`);
  const prompt = createInterface({ input: terminal, output: screen });
  try {
    const answer = await prompt.question(`Delete ${voiceCount(rows.length)}? This cannot be undone. [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}

/** Deletes the voices and reports each. If one cannot be deleted, the others still are. Returns how many failed. */
export async function deleteVoices(
  voices: Pick<VoiceClient, "remove">,
  rows: ShownVoice[],
  print: (line: string) => void = console.log,
): Promise<number> {
  const results = await Promise.all(
    rows.map(async ({ voice }) => {
      try {
        await voices.remove(voice);
        print(`deleted: ${visible(voice)}`);
        return true;
      } catch (error) {
        console.error(`not deleted: ${visible(voice)}: ${describeThrown(error).message}`);
        return false;
      }
    }),
  );
  return results.filter((isDeleted) => !isDeleted).length;
}
