import { isRecord } from "../../rules/is-record";
import { visible } from "../../rules/visible";

/*
 * The contract leaves open how the fields of a response are nested. So a field that the contract names is looked for at
 * the top level and in one envelope, whatever the envelope is called, also if that is in an envelope itself.
 */

/** Why a response cannot be read. The message says what was expected, and names fields and never values. */
export class FormProblem extends Error {}

/** An object of a response, and the names that lead to it: `data.result`. Empty for the response itself. */
export interface Place {
  path: string;
  record: Record<string, unknown>;
}

const deepestEnvelope = 3;
/** Far more than the objects around the fields of any response. It bounds the work on a hostile one. */
const mostPlaces = 200;
/** Their keys are the caller's own, so no field of the response is in them. */
const openTables = ["answers", "probabilities", "legend"];
/** The places that the nearest public service uses. A field that is in one of them is not looked for elsewhere. */
const usualPlaces = ["output", "", "usage"];

/** The response and the objects in it that may hold its fields, the outer ones first. */
export function placesOf(json: unknown, deepest = deepestEnvelope, opensArrays = true): Place[] {
  const outermost: unknown = opensArrays && Array.isArray(json) && json.length === 1 ? json[0] : json;
  if (!isRecord(outermost)) return [];
  const places: Place[] = [{ path: "", record: outermost }];
  let level = places;
  for (let depth = 0; depth < deepest && level.length > 0; depth++) {
    const next: Place[] = [];
    for (const { path, record } of level) {
      for (const name in record) {
        const value = record[name];
        // An array with one object is an envelope as well.
        const inner = opensArrays && Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;
        if (!isRecord(inner) || openTables.includes(name)) continue;
        if (places.length + next.length >= mostPlaces) break;
        next.push({ path: pathTo(path, name), record: inner });
      }
    }
    places.push(...next);
    level = next;
  }
  return places;
}

type Wanted<T> = (value: unknown) => value is T;

/** The names that lead to a field, as messages show them. */
export function pathTo(path: string, name: string | number): string {
  const written = visible(String(name).slice(0, 40));
  return path === "" ? written : `${path}.${written}`;
}

/**
 * The field with this name and a value of the wanted type. Throws a {@link FormProblem} if there is none, or if two
 * envelopes hold different values.
 */
export function requireField<T>(places: readonly Place[], name: string, isWanted: Wanted<T>): T {
  const [first, second] = candidates(places, name, isWanted);
  if (first === undefined) throw new FormProblem(name);
  if (second !== undefined)
    throw new FormProblem(`one ${name}, and there are ${pathTo(first.path, name)} and ${pathTo(second.path, name)}`);
  return first.value;
}

/** The same for a field that is only described, and must not lose what was paid for: of two, the outer one. */
export function firstField<T>(places: readonly Place[], name: string, isWanted: Wanted<T>): T | undefined {
  return candidates(places, name, isWanted)[0]?.value;
}

function candidates<T>(places: readonly Place[], name: string, isWanted: Wanted<T>) {
  const found: { path: string; value: T }[] = [];
  for (const { path, record } of places) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (isWanted(value) && !found.some((other) => other.value === value)) found.push({ path, value });
  }
  const usual = usualPlaces.flatMap((path) => found.find((each) => each.path === path) ?? []);
  return usual.length > 0 ? usual.slice(0, 1) : found;
}

export const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

export const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** Names are compared without case and punctuation where the contract does not give them: `errorCode`, `error_code`. */
export const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
