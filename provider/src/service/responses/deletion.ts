import { isRecord } from "../../rules/is-record";
import { doubtfulFields, type Field, fieldsOf } from "./harmless";

/**
 * Whether a response to a delete is understood completely, so that the voice is certainly gone. The status must mean
 * success. Each field must be in the contract, repeat the request, mark success, or have been in lists with voices in
 * them (`wasSeen`). Otherwise the list decides.
 */
export function saysDeleted(
  status: number,
  json: unknown,
  body: string,
  voice: string,
  wasSeen?: (field: Field) => boolean,
): boolean {
  if (status === 204 && body.trim() === "") return true;
  const fields = fieldsOf(json);
  if (status !== 200 || !isRecord(json) || fields.length === 0) return false;
  return doubtfulFields(fields, { action: "delete", voice, model: "svc-voice-enrollment" }, wasSeen).length === 0;
}
