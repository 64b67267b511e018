import type { Forms } from "../../rules/forms";
import { isRecord } from "../../rules/is-record";
import {
  assertOnlyPlace,
  boundedId,
  distinct,
  fieldsIn,
  firstField,
  isNumber,
  isText,
  onlyValue,
  pathOf,
} from "./forms";
import { maxIdLength } from "./json";
import { isEmpty, isNo, judged, leavesOf, statedError } from "./meaning";
import { plain } from "./names";

/**
 * The voice that a create made. An unneeded field must not lose a paid voice, so only the voice's name is required. Of
 * two voices, the one with the requested name counts.
 */
export function readCreatedVoice(json: unknown, preferredName: string, forms?: Forms) {
  const name = plain(pathOf(forms, "voice")?.at(-1) ?? "voice");
  const named = distinct(fieldsIn(json, name), isText);
  const asked = named.filter(({ value }) => value.includes(`${preferredName}-voice-`));
  // Another name counts only at the top or in `output`, as in the contract and the nearest service.
  const usual = named.filter(({ path }) => path.length === 1 || plain(path[0] ?? "") === "output");
  if (asked.length === 0 && usual[0]) assertOnlyPlace(json, usual[0], isText);
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
 * Whether a response to a delete is understood completely, so that the voice is certainly gone. Otherwise the list decides.
 */
export function saysDeleted(status: number, json: unknown, body: string, voice: string, forms?: Forms): boolean {
  if (status === 204 && body.trim() === "") return true;
  if (status !== 200 || !isRecord(json)) return false;
  const stated = statedError(json, forms);
  if (stated === "success" || typeof stated === "object") return stated === "success";
  const request = { action: "delete", voice, model: "svc-voice-enrollment" };
  const fields = judged(leavesOf(json), { request, forms });
  return fields.length > 0 && fields.every(({ meaning }) => meaning === "nothing");
}
