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
import type { SavedResource } from "./stacks/state";
import { imagesIn, journalOf } from "./stack";

/* Findings of `doctor` about the forms of responses. They propose commands that set `cloudvoice:forms`. */

export interface Finding {
  about: string;
  state: "ok" | "warning" | "error";
  message: string;
}

/** Describes where a page of the list has its voices, and whether an empty list would prove that there are none. */
export function understood({ place, unproven, proof = {}, voices, doubt }: ListPage, forms: Forms | undefined): string {
  const where = place === undefined ? "Nothing shows where its voices are" : `Its voices are at ${place}`;
  const isProof = (voices.length === 0 ? doubt : unproven) === undefined;
  const why = unproven === undefined ? "" : `; ${unproven}`;
  const line =
    Object.keys(proof).length === 0
      ? ""
      : `. If the fields of unknown meaning report success, run: \`${formsLine(forms, proof)}\``;
  return `${where}${why}. An empty list would ${isProof ? "" : "not "}prove that there are no voices${line}`;
}

/** What earlier runs left: responses that were kept because they were not understood, and unfinished image tasks. */
export interface Kept {
  responses: { about: string; call: Call; json: unknown }[];
  /** The ids of the unfinished image tasks. */
  tasks: string[];
}

/** Returns the kept responses from notes of the journal and from the images of a state, and the unfinished tasks. */
export function keptIn(
  notes: readonly UnreadResponse[],
  images: readonly Pick<SavedResource, "id" | "outputs">[],
): Kept {
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

/** Like {@link keptIn}, for the journal in the settings and the state of a stack. Skips what can't be read. */
export async function keptBy(settings: Settings, stack: string | undefined): Promise<Kept> {
  const journal = journalOf(settings, systemClock, () => undefined);
  const notes = await journal.received().catch(() => []);
  return keptIn(notes, stack === undefined ? [] : await imagesIn(stack, [], 60_000).catch(() => []));
}

/**
 * Proposes a value of `cloudvoice:forms` for each kept response that the value makes readable. Looks up unfinished
 * tasks, at no cost, and warns if a response of the service is not understood.
 */
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
      "a kept response is not understood. Check the paths in the following command, and then run it to make the " +
      `response readable: \`${formsLine(forms, more)}\`${adopt}`;
    return [{ about, state: "warning", message }];
  });
  for (const task of unfinished) {
    const error: unknown = await images.poll(task, { secret: false }).catch((thrown: unknown) => thrown);
    const isOpen = error instanceof UnexpectedAnswerError;
    if (isOpen) found.push({ about: `image task ${task}`, state: "warning", message: error.message });
  }
  return found;
}
