import { isRecord } from "../../rules/is-record";
import { visible } from "../../rules/visible";

/*
 * The contract leaves open how the fields of a response are nested. So a field that the contract names is looked for at
 * the top level and in one envelope of any name, which may be in an envelope itself.
 */

/** A response that is not understood. The message states the expected form, and names fields but never values. */
export class FormProblem extends Error {}

/** The names that lead to a value of a response. `*` stands for each entry of a list or a map. */
export type Path = readonly string[];

/** An object of a response, and the names that lead to it. Empty for the response itself. */
export interface Place {
  path: Path;
  record: Record<string, unknown>;
}

const deepestEnvelope = 3;
const mostPlaces = 200;
/** Tables whose keys come from the caller, so they contain no field of the response. */
const openTables = ["answers", "probabilities", "legend"];

/** Fields that hold an error or repeat the request, so they hold no result. */
const noEnvelope = /^(errors?|err|inputs?|request|echo)$/i;

/** The response and the objects in it that may hold its fields, the outer ones first. */
export function placesOf(json: unknown, { opensArrays = true } = {}): Place[] {
  const outermost: unknown = opensArrays && Array.isArray(json) && json.length === 1 ? json[0] : json;
  if (!isRecord(outermost)) return [];
  const places: Place[] = [{ path: [], record: outermost }];
  let level = places;
  for (let depth = 0; depth < deepestEnvelope && level.length > 0; depth++) {
    const next: Place[] = [];
    for (const { path, record } of level) {
      for (const [name, value] of Object.entries(record)) {
        // An array with one object is an envelope as well.
        const inner = opensArrays && Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;
        if (!isRecord(inner) || openTables.includes(name) || noEnvelope.test(name)) continue;
        if (places.length + next.length >= mostPlaces) break;
        next.push({ path: [...path, name], record: inner });
      }
    }
    places.push(...next);
    level = next;
  }
  return places;
}

type Wanted<T> = (value: unknown) => value is T;

export const isSamePath = (one: Path, other: Path) =>
  one.length === other.length && one.every((name, at) => name === other[at]);

/** A path as messages show it. */
export function shownPath(path: Path): string {
  return path.map((name) => visible(name.slice(0, 40))).join(".") || "the response";
}

/** The different values that a field of this name has, each at its outermost place. */
export function valuesOf<T>(places: readonly Place[], name: string, isWanted: Wanted<T>): { path: Path; value: T }[] {
  const found: { path: Path; value: T }[] = [];
  for (const { path, record } of places) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (isWanted(value) && !found.some((other) => other.value === value)) found.push({ path: [...path, name], value });
  }
  return found;
}

/** The one value of a field. Throws a {@link FormProblem} if there is none, or if two places hold different ones. */
export function requireField<T>(places: readonly Place[], name: string, isWanted: Wanted<T>): T {
  return onlyValue(name, valuesOf(places, name, isWanted));
}

export function onlyValue<T>(what: string, [first, second]: { path: Path; value: T }[]): T {
  if (first === undefined) throw new FormProblem(what);
  if (second === undefined) return first.value;
  throw new FormProblem(`one ${what}, but there are ${shownPath(first.path)} and ${shownPath(second.path)}`);
}

/** A field that only describes a paid result. If there are two values, the outer one is used. */
export function firstField<T>(places: readonly Place[], name: string, isWanted: Wanted<T>): T | undefined {
  return valuesOf(places, name, isWanted)[0]?.value;
}

/** All values at a path. */
export function valuesAt(json: unknown, [name, ...rest]: Path): unknown[] {
  if (name === undefined) return [json];
  if (typeof json !== "object" || json === null) return [];
  if (name === "*") return Object.values(json).flatMap((each: unknown) => valuesAt(each, rest));
  return Object.hasOwn(json, name) ? valuesAt((json as Record<string, unknown>)[name], rest) : [];
}

export const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

export const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** Ids are kept whole up to this length, because they are sent back. */
export const maxIdLength = 4000;

/** The id, which commands print and states keep. */
export function boundedId(field: string, id: string): string {
  if (id.length > maxIdLength) throw new FormProblem(`a ${field} of at most ${maxIdLength} characters`);
  return id;
}

/** Names are compared without case and punctuation where the contract does not give them: `errorCode`, `error_code`. */
export const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
