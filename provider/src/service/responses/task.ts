import type { Forms } from "../../rules/forms";
import {
  assertOnlyPlace,
  boundedId,
  distinct,
  fieldsIn,
  FormProblem,
  isInside,
  isText,
  onlyValue,
  read,
} from "./forms";

export const submittedStatus = "PENDING";

/**
 * Leaves out numbers with an exponent, which have lost digits, and words that mean "none". Dots would lead to another
 * path.
 */
export const isTaskId = (value: unknown): value is string | number =>
  isText(value)
    ? !/^(-?[\d.]+e\+?\d+|-.*|0+|null|none|nil|undefined|\.{1,2})$/i.test(value.trim())
    : Number.isSafeInteger(value) && Number(value) > 0;

/** Whether a value is the id of this task. A service may write ids in another case than it gave them. */
export const isIdOf = (taskId: string, value: unknown) =>
  isTaskId(value) && String(value).trim().toLowerCase() === taskId.trim().toLowerCase();

/** The id of a submitted task. */
export function readSubmittedTask(json: unknown, forms?: Forms) {
  const found = distinct(read(json, "task", forms), isTaskId);
  const taskId = boundedId("task_id", String(onlyValue("task_id", found)));
  if (found[0] && forms?.task === undefined) assertOnlyPlace(json, found[0], isTaskId);
  return { taskId, taskStatus: distinct(read(json, "status", forms), isText)[0]?.value ?? submittedStatus };
}

/**
 * The state of the requested task. A `task_status` counts if it is beside or around this task's id, or if the response
 * names no task. Undefined if there is none.
 */
export function taskStatusIn(json: unknown, taskId: string, forms?: Forms): string | undefined {
  const found = read(json, "status", forms);
  const only = (statuses: typeof found) => {
    const [first, second] = distinct(statuses, isText);
    return first && onlyValue("task_status", second ? [first, second] : [first]);
  };
  if (forms?.status !== undefined) return only(found);
  const ids = fieldsIn(json, "taskid").filter(({ value }) => isTaskId(value));
  const own = ids.filter(({ value }) => isIdOf(taskId, value));
  const [first] = distinct(found, isText);
  if (ids.length === 0) {
    if (first) assertOnlyPlace(json, first, isText);
    return only(found);
  }
  if (own.length === 0) return undefined;
  const placeOf = ({ path }: (typeof found)[number]) => JSON.stringify(path.slice(0, -1));
  const beside = found.filter((status) => isText(status.value) && own.some((id) => placeOf(id) === placeOf(status)));
  const around = found.filter((status) => own.some((id) => isInside(status.path.slice(0, -1), id.path)));
  const status = only(beside.length > 0 ? beside : around);
  // In another object, it may be the state of another task.
  if (status === undefined && first) throw new FormProblem("a task_status beside the task_id");
  return status;
}
