import { attempt } from "../attempt";
import { UnexpectedAnswerError } from "../errors";
import type { Forms } from "../rules/forms";
import type { Settings } from "../rules/settings";
import { systemClock } from "../service/clock";
import type { Service } from "../service/connect";
import { isUnreadId } from "../service/billed-requests";
import type { UnreadResponse } from "../service/journal/journal";
import { type Call, formsLine, suggestForms } from "../service/responses/suggest";
import { readSubmittedTask } from "../service/responses/task";
import type { ListPage } from "../service/voices/client";
import { imagesIn, journalOf } from "./stack";

/** Findings of `doctor` about the forms of responses, and the lines of `cloudvoice:forms` that it proposes. */

export interface Finding {
  about: string;
  state: "ok" | "warning" | "error";
  message: string;
}

/** Describes what was understood of a list, and whether an empty list would prove that there are no voices. */
export function understood({ place, unproven, proof = {}, voices, doubt }: ListPage, forms: Forms | undefined): string {
  const where = place === undefined ? "Nothing shows where its voices are" : `Its voices are at ${place}`;
  const isProof = (voices.length === 0 ? doubt : unproven) === undefined;
  const why = unproven === undefined ? "" : `; ${unproven}`;
  const line = Object.keys(proof).length === 0 ? "" : `. If they mean no failure, set: \`${formsLine(forms, proof)}\``;
  return `${where}${why}. An empty list would ${isProof ? "" : "not "}prove that there are no voices${line}`;
}

/** An image of a state: its id, and its outputs. */
interface SavedImage {
  id?: string | undefined;
  outputs: Record<string, unknown>;
}

/** Responses that earlier runs did not understand, and so kept. */
export interface Kept {
  responses: { about: string; call: Call; json: unknown }[];
  /** The tasks that have not ended. */
  tasks: string[];
}

/** The responses in the notes of the journal, and in the images of a state. */
export function keptIn(notes: readonly UnreadResponse[], images: readonly SavedImage[]): Kept {
  const calls: Record<string, Call> = { voices: "create", images: "submit" };
  const responses: Kept["responses"] = notes.flatMap(({ kind, json }) => {
    const call = calls[kind];
    return call === undefined ? [] : [{ about: `kept response (${call})`, call, json }];
  });
  const tasks: string[] = [];
  for (const { id = "", outputs } of images) {
    const { taskOutput: json, taskStatus } = outputs;
    if (json !== undefined) responses.push({ about: "kept image", call: isUnreadId(id) ? "submit" : "pictures", json });
    else if (taskStatus === "PENDING") tasks.push(id);
  }
  return { responses, tasks };
}

/** Like {@link keptIn}, for a journal and a stack. Ignores what can't be read: other checks report it. */
export async function keptBy(settings: Settings, stack: string | undefined): Promise<Kept> {
  const journal = await journalOf(settings, systemClock, () => undefined);
  const notes = await journal.received().catch(() => []);
  return keptIn(notes, stack === undefined ? [] : await imagesIn(stack, [], 60_000).catch(() => []));
}

/** Proposes a line of `cloudvoice:forms` for each kept response. Looks up unfinished tasks, at no cost. */
export async function keptFindings(
  { responses, tasks }: Kept,
  { forms }: Pick<Settings, "forms">,
  { images }: Pick<Service, "images">,
): Promise<Finding[]> {
  const unfinished = [...tasks];
  const found = responses.flatMap(({ about, call, json }): Finding[] => {
    const more = suggestForms(call, json, forms);
    const submitted = call === "submit" ? attempt(() => readSubmittedTask(json, { ...forms, ...more })) : undefined;
    const task = submitted?.taskId;
    if (task !== undefined) unfinished.push(task);
    if (more === undefined) return [];
    const adopt =
      task === undefined
        ? ""
        : `. The task is ${task}: with adoptTask, the image takes it over, and nothing is paid again`;
    const message =
      "a kept response is not understood. This command sets paths that read it; check them first: " +
      `\`${formsLine(forms, more)}\`${adopt}`;
    return [{ about, state: "warning", message }];
  });
  for (const task of unfinished) {
    const error: unknown = await images.poll(task, { secret: false }).catch((thrown: unknown) => thrown);
    const isOpen = error instanceof UnexpectedAnswerError;
    if (isOpen) found.push({ about: `image task ${task}`, state: "warning", message: error.message });
  }
  return found;
}
