import { isRecord } from "../../rules/is-record";

const mostNodes = 1000;
const deepest = 8;

/** A copy of a response for an output: each of its texts as `shown` gives it, and not more of it than a state may hold. */
export function shownCopy(json: unknown, shown: (text: string) => string): unknown {
  let nodes = 0;
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return shown(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth > deepest || ++nodes > mostNodes) return "…";
    if (Array.isArray(value)) return value.slice(0, mostNodes).map((each) => copy(each, depth + 1));
    if (!isRecord(value)) return undefined;
    const entries = Object.entries(value).slice(0, mostNodes);
    return Object.fromEntries(entries.map(([name, each]) => [shown(name), copy(each, depth + 1)]));
  };
  return copy(json, 0);
}
