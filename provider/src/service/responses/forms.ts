import { isRecord } from "../../rules/values";
import type { Forms } from "../../rules/settings";
import { visible } from "../../rules/visible";
import { maxIdLength, mostOfName } from "./json";
import { isNamed, plain } from "./names";

/** A response is not understood. The message states the expected form, and contains no values of the response. */
export class FormProblem extends Error {}

/** The field names that lead to a value in a response. `*` stands for each entry of a list or map. */
export type Path = readonly string[];

export interface Field<T = unknown> {
  path: Path;
  value: T;
}

export const nameOf = ({ path }: Field) => path.at(-1) ?? "";

/** The path of the object that contains the field, as a string that can be compared. */
export const objectOf = ({ path }: Pick<Field, "path">) => JSON.stringify(path.slice(0, -1));

/**
 * The fields in which a part of a response is expected without the setting `forms`, at the top level or in an object
 * there. `pictures` has none here: images.ts has names of its own.
 */
const usualNames = {
  total: ["total", "totals", "totalcount", "totalnum", "totalnumber", "totalvoices", "totalelements", "voicecount"],
  task: ["taskid"],
  status: ["taskstatus"],
  pictures: [],
};

/** All values that may be this part of the response: at the path that the setting `forms` states, or else as usual. */
export function read(json: unknown, part: keyof typeof usualNames, forms: Forms | undefined): Field[] {
  const path = pathOf(forms, part);
  return path === undefined ? fieldsIn(json, ...usualNames[part]) : valuesAt(json, path);
}

export const pathOf = (forms: Forms | undefined, part: Exclude<keyof Forms, "ignore">): Path | undefined =>
  forms?.[part]?.replace(/=.*$/s, "").split(".");

/**
 * The fields with one of these names at the top level and in the objects there, except objects about another voice or
 * task.
 */
export const fieldsIn = (json: unknown, ...names: string[]): Field[] =>
  fieldsWhere(json, (name) => names.includes(plain(name))).filter(
    ({ path: [envelope = ""], path }) => path.length === 1 || !isNamed(envelope, "other"),
  );

/** The fields at the top level and in the objects there, except objects that repeat the request. */
export function fieldsWhere(json: unknown, isWanted: (name: string) => boolean): Field[] {
  if (!isRecord(json)) return [];
  const envelopes = Object.entries(json).filter(([name]) => !isNamed(name, "echo"));
  const places: Field[] = [{ path: [], value: json }, ...envelopes.map(([name, value]) => ({ path: [name], value }))];
  return places.flatMap(({ path, value: record }) =>
    Object.entries(isRecord(record) ? record : {}).flatMap(([name, value]) =>
      isWanted(name) ? [{ path: [...path, name], value }] : [],
    ),
  );
}

/** All values at a path. There may be several, because `*` stands for each entry. */
export function valuesAt(json: unknown, path: Path): Field[] {
  let values = [json];
  for (const name of path)
    values = values.flatMap((value) => {
      if (typeof value !== "object" || value === null) return [];
      if (name === "*") return Object.values(value) as unknown[];
      return Object.hasOwn(value, name) ? [(value as Record<string, unknown>)[name]] : [];
    });
  return values.map((value) => ({ path, value }));
}

type TypeGuard<T> = (value: unknown) => value is T;

/** The fields that have the wanted type. Of several fields with the same value, only the first. */
export function distinct<T>(fields: readonly Field[], isOfType: TypeGuard<T>): Field<T>[] {
  const values = new Map<T, Field<T>>();
  for (const { path, value } of fields) if (isOfType(value) && !values.has(value)) values.set(value, { path, value });
  return [...values.values()];
}

/** Returns the only value. Throws a {@link FormProblem} if there is none, or if there are different values. */
export function onlyValue<T>(what: string, [first, second]: readonly Field<T>[]): T {
  if (first === undefined) throw new FormProblem(what);
  if (second === undefined) return first.value;
  throw severalProblem(what, first.path, second.path);
}

export function severalProblem(what: string, ...paths: Path[]): FormProblem {
  return new FormProblem(`one ${what}, but there are ${paths.map(shownPath).join(" and ")}`);
}

/** Returns the id. Throws a {@link FormProblem} if it is too long for messages and the state. */
export function boundedId(field: string, id: string): string {
  if (id.length > maxIdLength) throw new FormProblem(`a ${field} of at most ${maxIdLength} characters`);
  return id;
}

/** The first value of a field that only describes a paid result, so that further values do not matter. */
export function firstField<T>(json: unknown, name: string, isOfType: TypeGuard<T>): T | undefined {
  return distinct(fieldsIn(json, name), isOfType)[0]?.value;
}

export const isInside = (outer: Path, inner: Path) => outer.every((name, at) => inner[at] === name || name === "*");

/** A path in the form that messages show. */
export function shownPath(path: Path): string {
  return path.map((name) => visible(name.slice(0, mostOfName))).join(".") || "the response";
}

export const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

export const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
