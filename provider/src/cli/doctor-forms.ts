import * as z from "zod";
import { type Forms } from "../rules/forms";
import { resourceKind } from "../rules/resource-types";
import type { Settings } from "../rules/settings";
import { pulumiJson } from "../run-pulumi";
import { systemClock } from "../service/clock";
import type { Service } from "../service/connect";
import { isUnreadId } from "../service/billed-requests";
import { Journal } from "../service/journal/journal";
import { type Call, formsLine, suggestForms } from "../service/responses/suggest";
import type { ListPage } from "../service/voices/client";
import { savedResource } from "../stacks/state";
import type { Finding } from "./doctor";
import { journalStoreOf } from "./stack";

/** What `doctor` says of the forms of responses, and the lines of `cloudvoice:forms` that it proposes. */

/** Describes what was understood of a list, and whether an empty list would prove that there are no voices. */
export function understood({ place, unproven, proof = {}, voices, doubt }: ListPage, forms: Forms | undefined): string {
  const where = place === undefined ? "Nothing shows where its voices are" : `Its voices are at ${place}`;
  const isProof = (voices.length === 0 ? doubt : unproven) === undefined;
  const why = unproven === undefined ? "" : `; ${unproven}`;
  const line = Object.keys(proof).length === 0 ? "" : `. If they mean no failure, set: \`${formsLine(forms, proof)}\``;
  return `${where}${why}. An empty list would ${isProof ? "" : "not "}prove that there are no voices${line}`;
}

interface Kept {
  about: string;
  call: Call;
  json: unknown;
}

/**
 * The responses that earlier runs kept because they did not understand them: in the journal, and in the images of the
 * stack. Each gives a line that reads it. A task that is not finished is looked up, which is free.
 */
export async function keptFindings(
  settings: Settings,
  stack: string | undefined,
  { images }: Pick<Service, "images">,
): Promise<Finding[]> {
  const kept = [...(await inJournal(settings)), ...(stack === undefined ? [] : await inState(stack))];
  const findings: Finding[] = [];
  const lines = new Set<string>();
  for (const { about, call, json } of kept) {
    const forms = suggestForms(call, json, settings.forms);
    const line = forms && formsLine(settings.forms, forms);
    if (line === undefined || lines.has(line)) continue;
    lines.add(line);
    const message = `a response was kept that is not understood. If this reads it, set: \`${line}\``;
    findings.push({ about, state: "warning", message });
  }
  for (const task of stack === undefined ? [] : await unfinishedTasks(stack)) {
    const error = await images.poll(task, { secret: false }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error instanceof Error && error.message.includes("cloudvoice:forms"))
      findings.push({ about: `task ${task}`, state: "warning", message: error.message });
  }
  return findings;
}

const calls: Record<string, Call> = { voices: "create", images: "submit" };

async function inJournal(settings: Settings): Promise<Kept[]> {
  try {
    const journal = new Journal(await journalStoreOf(settings), systemClock, () => undefined, settings);
    return (await journal.received()).flatMap(({ kind, json }) => {
      const call = calls[kind];
      return call === undefined ? [] : [{ about: `kept response (${call})`, call, json }];
    });
  } catch {
    // The check of the journal reports it.
    return [];
  }
}

const exported = z.object({
  deployment: z.object({ resources: z.array(savedResource).nullish() }).nullish(),
});

async function imagesOf(stack: string) {
  const args = ["stack", "export", "--stack", stack];
  const { deployment } = await pulumiJson(args, exported, { timeoutMs: 60_000 }).catch(() => ({
    deployment: undefined,
  }));
  return (deployment?.resources ?? []).filter(({ type }) => resourceKind(type) === "image");
}

async function inState(stack: string): Promise<Kept[]> {
  return (await imagesOf(stack)).flatMap(({ id, outputs: { taskOutput: json } }) =>
    json === undefined
      ? []
      : [{ about: `image ${id ?? ""}`, call: isUnreadId(id ?? "") ? "submit" : "pictures", json } as const],
  );
}

async function unfinishedTasks(stack: string): Promise<string[]> {
  return (await imagesOf(stack)).flatMap(({ id, outputs }) =>
    id !== undefined && !isUnreadId(id) && outputs.taskStatus === "PENDING" ? [id] : [],
  );
}
