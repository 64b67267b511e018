import { doubtfulFields, fieldsOf } from "./harmless";

/**
 * Whether a response to a delete is understood whole, so that the voice is certainly gone: a status that means "done", and
 * no field but those of the contract, what repeats the request, and marks of success. Otherwise the list decides.
 */
export function saysDeleted(status: number, json: unknown, body: string, voice: string): boolean {
  if (status === 204 && body.trim() === "") return true;
  const fields = fieldsOf(json);
  if (status !== 200 || fields.length === 0) return false;
  return doubtfulFields(fields, { action: "delete", voice, model: "svc-voice-enrollment" }).length === 0;
}
