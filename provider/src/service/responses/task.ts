import { isRecord } from "../../rules/is-record";
import type { Forms } from "../../rules/forms";
import { FormProblem, isText, type Path, type Place, placesOf, shownPath, valuesAt, valuesOf } from "./fields";
import { pathOf } from "./forms";
import { isTaskId, submittedStatus } from "./submitted-task";

/** Whether a value is the id of this task. A service may write ids in another case than it gave them. */
export const isIdOf = (taskId: string, value: unknown) =>
  isTaskId(value) && String(value).trim().toLowerCase() === taskId.trim().toLowerCase();

const deepest = 4;

/** The part of a response that is about this task, if the response has several tasks in an array or a map by id. */
export function partAbout(taskId: string, json: unknown): unknown {
  return partIn(json, taskId) ?? json;
}

function partIn(json: unknown, taskId: string, depth = 0): unknown {
  if (typeof json !== "object" || json === null || depth > deepest) return undefined;
  const entries = Object.entries(json) as [string, unknown][];
  const own = entries.flatMap(([key, each]) =>
    isRecord(each) && isText(each.task_status) && isIdOf(taskId, Array.isArray(json) ? each.task_id : key)
      ? [each]
      : [],
  );
  if (own.length === 1) return own[0];
  for (const [, each] of entries) {
    const part = partIn(each, taskId, depth + 1);
    if (part !== undefined) return part;
  }
  return undefined;
}

/**
 * The state of the requested task. A `task_status` counts if it is beside or around this task's id, or if the response
 * names no task. A status in an array, or beside another id, belongs to a part of the task or to another one. Undefined
 * if there is none. A task that is named without a state counts as still running.
 */
export function taskStatusIn(json: unknown, taskId: string, forms?: Forms): string | undefined {
  const stated = pathOf(forms, "status");
  if (stated) return valuesAt(json, stated).find(isText);
  const outside = statusesIn(placesOf(json, { opensArrays: false }), taskId);
  const isOutside = outside.statuses.length > 0 || outside.isNamed;
  const { statuses, isNamed } = isOutside ? outside : statusesIn(placesOf(json), taskId);
  // Without a task id, the only entry of an array may be a part of the task.
  if (!isOutside && !isNamed && !Array.isArray(json)) return undefined;
  const [first, ...others] = statuses;
  if (first === undefined) return isNamed ? submittedStatus : undefined;
  // A status around all others is that of the task itself.
  const second = others.find(({ path }) => path.length === first.path.length || !isIn(first.path.slice(0, -1), path));
  if (second === undefined) return first.value;
  throw new FormProblem(`one task_status, but there are ${shownPath(first.path)} and ${shownPath(second.path)}`);
}

const isIn = (outer: Path, inner: Path) => outer.every((name, at) => inner[at] === name);

function statusesIn(places: readonly Place[], taskId: string) {
  const isNamed = ({ record: { task_id: id } }: Place) => isIdOf(taskId, id);
  const isAround = (outer: Place, inner: Place) => isIn(outer.path, inner.path);
  const others = places.filter((place) => isTaskId(place.record.task_id) && !isNamed(place));
  const possible = places.filter((place) => !others.some((other) => isAround(other, place)));
  const named = places.filter(isNamed);
  const around = named.length > 0 ? possible.filter((place) => named.some((each) => isAround(place, each))) : possible;
  const statuses = valuesOf(
    named.some(({ record }) => isText(record.task_status)) ? named : around,
    "task_status",
    isText,
  );
  // Inside the task's object, it may be the state of another task.
  const [inside] = valuesOf(possible, "task_status", isText);
  if (statuses.length === 0 && inside)
    throw new FormProblem(`a task_status beside the task_id, but there is ${shownPath(inside.path)}`);
  return { statuses, isNamed: named.length > 0 };
}
