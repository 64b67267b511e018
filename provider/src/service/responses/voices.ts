import type { Forms } from "../../rules/settings";
import { isRecord } from "../../rules/values";
import { boundedId, distinct, fieldsIn, firstField, isNumber, isText, onlyValue, pathOf } from "./forms";
import { maxIdLength } from "./json";
import { isEmpty, isNo, judged, leavesOf, statedError } from "./meaning";
import { plain } from "./names";

/**
 * Reads the voice from the response to a create. Only the voice's name is required: a paid voice must not be lost
 * because another field is unusual. If there are two voices, takes the one with the requested name.
 */
export function readCreatedVoice(json: unknown, preferredName: string, forms?: Forms) {
  const name = plain(pathOf(forms, "voice")?.at(-1) ?? "voice");
  const named = distinct(fieldsIn(json, name), isText);
  const asked = named.filter(({ value }) => value.includes(`${preferredName}-voice-`));
  // A voice with another name counts only at the top level or in `output`, as in the contract and the most similar
  // service.
  const usual = named.filter(({ path }) => path.length === 1 || plain(path[0] ?? "") === "output");
  const voice = onlyValue("voice", asked.length > 0 ? asked : usual);
  const mode = firstField(json, "fallbackmode", isSomething);
  return {
    voice: boundedId("voice", voice),
    targetModel: firstField(json, "targetmodel", isText)?.slice(0, maxIdLength),
    degraded: mode !== undefined && !isEmpty(mode) && !isNo(mode),
    degradedReason: firstField(json, "fallbackreason", isSomething),
    count: firstField(json, "count", isNumber) ?? 1,
  };
}

const isSomething = (value: unknown): value is string | number | boolean | object =>
  value !== undefined && value !== null;

/**
 * Whether a response to a delete is understood completely and says that the voice is deleted. If not, the list decides.
 */
export function saysDeleted(status: number, json: unknown, body: string, forms?: Forms): boolean {
  if (status === 204 && body.trim() === "") return true;
  if (status !== 200 || !isRecord(json)) return false;
  const stated = statedError(json, forms);
  if (stated === "success" || typeof stated === "object") return stated === "success";
  const fields = judged(leavesOf(json), forms);
  return fields.length > 0 && fields.every(({ meaning }) => meaning === "nothing");
}
