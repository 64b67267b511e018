import type { Forms } from "../../rules/settings";
import { boundedId, distinct, fieldsIn, isInside, isText, onlyValue, type Path, read } from "./forms";

/** Excludes numbers that have lost digits, words that mean "none", and dots, which would change a request's path. */
export const isTaskId = (value: unknown): value is string | number =>
  isText(value)
    ? !/^(-?[\d.]+e\+?\d+|-.*|0+|null|none|nil|undefined|\.{1,2})$/i.test(value.trim())
    : Number.isSafeInteger(value) && Number(value) > 0;

/** Whether a value is this task's id. Ignores case, because a service may change the case of an id. */
export const isIdOf = (taskId: string, value: unknown) =>
  isTaskId(value) && String(value).trim().toLowerCase() === taskId.trim().toLowerCase();

export function readSubmittedTask(json: unknown, forms?: Forms) {
  const ids = distinct(read(json, "task", forms), isTaskId);
  const taskId = boundedId("task_id", String(onlyValue("task_id", ids)));
  return { taskId, taskStatus: distinct(read(json, "status", forms), isText)[0]?.value ?? "PENDING" };
}

/**
 * The state of the requested task. A `task_status` counts only if an object with this task's id contains it, or if the
 * response does not contain a task's id. Undefined if there is no such state.
 */
export function taskStatusIn(json: unknown, taskId: string, forms?: Forms): string | undefined {
  const ids = forms?.status === undefined ? fieldsIn(json, "taskid").filter(({ value }) => isTaskId(value)) : [];
  const idsOfTask = ids.filter(({ value }) => isIdOf(taskId, value));
  const isOfTask = (path: Path) => ids.length === 0 || idsOfTask.some((id) => isInside(path.slice(0, -1), id.path));
  const statuses = distinct(
    read(json, "status", forms).filter(({ path }) => isOfTask(path)),
    isText,
  );
  return statuses.length === 0 ? undefined : onlyValue("task_status", statuses);
}
