import type { Change } from "./change";

/** From this number of changes on, the comment and the terminal show groups, and the page folds its groups. */
export const manyChanges = 20;

/** Changes of one kind and action with one reason. */
export interface Group extends Pick<Change, "kind" | "action"> {
  reason: string;
  changes: Change[];
}

/** Groups the changes and keeps their order. Within one kind and action, the largest group is first. */
export function groupsOf(changes: readonly Change[]): Group[] {
  const groups = new Map<string, Group>();
  for (const change of changes) {
    const { kind, action } = change;
    const reason = reasonOf(change);
    const key = JSON.stringify([kind, action, reason]);
    const group = groups.get(key);
    if (group) group.changes.push(change);
    else groups.set(key, { kind, action, reason, changes: [change] });
  }
  const order = [...new Set(changes.map(placeOf))];
  return [...groups.values()].sort(
    (a, b) => order.indexOf(placeOf(a)) - order.indexOf(placeOf(b)) || b.changes.length - a.changes.length,
  );
}

function placeOf({ kind, action }: Pick<Group, "kind" | "action">): string {
  return `${kind} ${action}`;
}

const longestReason = 200;

/** The first part of `why`, which a group shares. Later parts name single voices. */
function reasonOf({ why, retained }: Change): string {
  const reason = (why.split("; ")[0] ?? "").slice(0, longestReason);
  return retained === true ? `${reason}; the old voice stays in the account` : reason;
}
