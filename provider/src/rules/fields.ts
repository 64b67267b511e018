import stableStringify from "safe-stable-stringify";

/** A resource's inputs, each written down once: what is right, and what another value does. */
export type Fields<T, Facts = void> = { readonly [K in keyof T]-?: Field<Facts> };

interface Field<Facts> {
  /** `replaces`: another one is made and paid for. `updates`: the state is written anew, at no cost. */
  change: "replaces" | "updates";
  required?: boolean;
  /** It may be secret, so no fault shows its value. */
  hidden?: boolean;
  /** What is wrong with a value that is given, and what is allowed; or faults deep inside it. `facts` were found out beforehand. */
  fault: (value: unknown, facts: Facts) => string | Failure[] | undefined;
}

export interface Failure {
  property: string;
  reason: string;
}

/** Any resource's. */
type Table<Facts> = Readonly<Record<string, Field<Facts>>>;

/** Every fault of the inputs, each at its property. Inputs not yet known are not in `inputs` and named in `unknown`. */
export function failuresOf<Facts>(
  fields: Table<Facts>,
  inputs: object,
  unknown: ReadonlySet<string>,
  facts: Facts,
): Failure[] {
  return Object.entries(fields).flatMap(([property, { required, hidden, fault }]): Failure[] => {
    const value = valueIn(inputs, property);
    if (value === undefined)
      return required === true && !unknown.has(property) ? [{ property, reason: "is required" }] : [];
    const reason = fault(value, facts) ?? [];
    if (typeof reason !== "string") return reason;
    // The engine shows the value of the property that is named, so none is.
    return [
      hidden === true && !isBlank(value) ? { property: "", reason: `${property} ${reason}` } : { property, reason },
    ];
  });
}

/** The fields that differ and do this. Those not yet known may differ when they are, so they count. */
export function changedFields(
  fields: Table<never>,
  change: Field<never>["change"],
  olds: object,
  news: object,
  unknown: ReadonlySet<string>,
): string[] {
  return Object.keys(fields).filter(
    (name) => fields[name]?.change === change && (unknown.has(name) || !same(valueIn(olds, name), valueIn(news, name))),
  );
}

function valueIn(inputs: object, name: string): unknown {
  return (inputs as Record<string, unknown>)[name];
}

/** Left out, null and an empty list are the same. */
function same(a: unknown, b: unknown): boolean {
  return stableStringify(a ?? []) === stableStringify(b ?? []);
}

export type Trigger = string | number | boolean;

export const triggersField: Field<unknown> = {
  change: "replaces",
  fault: (value) =>
    Array.isArray(value) && value.every((entry) => ["string", "number", "boolean"].includes(typeof entry))
      ? undefined
      : "must be a list of texts, numbers and booleans",
};

export function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

export const textFault = (value: unknown) => (typeof value === "string" ? undefined : "must be a text");
export const booleanFault = (value: unknown) => (typeof value === "boolean" ? undefined : "must be true or false");

/** A value for a message: as it stands in the program, and not too long. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
