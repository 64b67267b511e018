import type { Forms } from "../../rules/forms";
import { FormProblem, isText, type Place, placesOf, shownPath, valuesAt, valuesOf } from "./fields";
import { pathOf } from "./forms";
import { isTaskId, submittedStatus } from "./submitted-task";

/**
 * The state of the asked task: `task_status` alone, beside the id of this task or beside none. What stands in an array, or
 * beside the id of another task, is the state of a part of it, or of another one. Undefined if there is none. A task that is
 * named without a state is still waited for.
 */
export function taskStatusIn(json: unknown, taskId: string, forms?: Forms): string | undefined {
  const stated = pathOf(forms, "status");
  if (stated) return valuesAt(json, stated).find(isText);
  const outside = statusesIn(placesOf(json, { opensArrays: false }), taskId);
  const isOutside = outside.statuses.length > 0 || outside.isNamed;
  const { statuses, isNamed } = isOutside ? outside : statusesIn(placesOf(json), taskId);
  // The one entry of an array that names no task may be a part of it.
  if (!isOutside && !isNamed && !Array.isArray(json)) return undefined;
  const [first, second] = statuses;
  if (first === undefined) return isNamed ? submittedStatus : undefined;
  // The outer one is the task's own.
  if (second === undefined || first.path.length < second.path.length) return first.value;
  throw new FormProblem(`one task_status, and there are ${shownPath(first.path)} and ${shownPath(second.path)}`);
}

function statusesIn(places: readonly Place[], taskId: string) {
  const isOfAnother = ({ record: { task_id: id } }: Place) => isTaskId(id) && String(id) !== taskId;
  const named = places.filter(({ record: { task_id: id } }) => isTaskId(id) && String(id) === taskId);
  const own = named.some(({ record }) => isText(record.task_status)) ? named : places;
  const others = places.filter(isOfAnother);
  const isInside = ({ path }: Place) => others.some((other) => other.path.every((name, at) => path[at] === name));
  const wanted = own.filter((place) => !isInside(place));
  return { statuses: valuesOf(wanted, "task_status", isText), isNamed: named.length > 0 };
}
