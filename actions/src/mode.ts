/** The mode of the action for an event of GitHub. */

export const modes = ["review", "up", "drift"] as const;
export type Mode = (typeof modes)[number];

export interface Trigger {
  /** The name of the event, e.g. `pull_request`. */
  event: string;
  /** The branch or tag of the run, e.g. `refs/heads/main`. */
  ref: string;
  defaultBranch?: string | undefined;
  /** Whether a ruleset or a protection covers `ref`. */
  isProtected: boolean;
  /** The cron expression of the event `schedule`. */
  cron?: string | undefined;
  /** The input `mode` of the job, or of a manual run. */
  stated?: string | undefined;
}

/**
 * Returns the mode. An update bills an account, so it needs a push to the branch, a schedule, or a manual event that
 * states `up`. Throws for any event that `modesOf` does not list: a new event of GitHub could run a commit that nobody
 * merged.
 */
export function modeOf(trigger: Trigger): Mode {
  const [first, ...others] = modesOf(trigger);
  const { event, ref, stated = "" } = trigger;
  if (first === undefined)
    throw new Error(
      `The action has no mode for the event ${event} of ${ref}. Use pull_request, merge_group, ` +
        "workflow_dispatch, schedule, or a push to the default branch or a protected branch.",
    );
  const mode = [first, ...others].find((each) => each === (stated || first));
  if (mode !== undefined) return mode;
  throw new Error(
    `The mode ${stated} is not possible for the event ${event} of ${ref}. Possible: ${[first, ...others].join(", ")}.` +
      (stated === "up" ? " Only the default branch or a protected branch is updated, after the merge." : ""),
  );
}

/** The possible modes of an event, the default first. */
function modesOf({ event, ref, defaultBranch, isProtected, cron = "" }: Trigger): readonly Mode[] {
  const branch = /^refs\/heads\/(?!gh-readonly-queue\/)(.+)$/.exec(ref)?.[1];
  const isMerged = branch !== undefined && (isProtected || branch === defaultBranch);
  switch (event) {
    case "pull_request":
    case "merge_group":
      return ["review"];
    case "workflow_dispatch":
    case "repository_dispatch":
      return isMerged ? ["review", "drift", "up"] : ["review", "drift"];
    case "push":
      return isMerged ? ["up", "review", "drift"] : [];
    case "schedule":
      return isMonthly(cron) ? ["up", "drift", "review"] : ["drift", "review", "up"];
    default:
      return [];
  }
}

/** Whether a schedule names one day of the month. A monthly run is an update, which creates expired voices again. */
function isMonthly(cron: string): boolean {
  return /^\d+$/.test(cron.trim().split(/\s+/)[2] ?? "");
}
