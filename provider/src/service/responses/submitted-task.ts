import type { Forms } from "../../rules/forms";
import { boundedId, firstField, isText, onlyValue, type Place, valuesAt, valuesOf } from "./fields";
import { pathOf } from "./forms";

export const submittedStatus = "PENDING";

/**
 * Leaves out numbers with an exponent, which have lost digits, and words that mean "none". Dots would lead to another
 * path.
 */
export const isTaskId = (value: unknown): value is string | number =>
  isText(value)
    ? !/^(-?[\d.]+e\+?\d+|-.*|0+|null|none|nil|undefined|\.{1,2})$/i.test(value.trim())
    : Number.isSafeInteger(value) && Number(value) > 0;

/**
 * The id of a submitted task. The contract states its place (`output.task_id`). An id at another place is read too, if
 * it is the only one.
 */
export function readSubmittedTask(json: unknown, places: readonly Place[], forms?: Forms) {
  const stated = pathOf(forms, "task") ?? ["output", "task_id"];
  const [own] = valuesAt(json, stated).filter(isTaskId);
  const found = forms?.task ? [] : valuesOf(places, "task_id", isTaskId);
  const taskId = boundedId("task_id", String(own ?? onlyValue("task_id", found)));
  return { taskId, taskStatus: firstField(places, "task_status", isText) ?? submittedStatus };
}
