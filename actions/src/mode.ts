/** What the action does for the event of a run on GitHub. */

export const modes = ["review", "up", "drift"] as const;
export type Mode = (typeof modes)[number];

export interface Trigger {
  /** The name of the event, e.g. `pull_request`. */
  event: string;
  /** The branch or tag that the run is of, e.g. `refs/heads/main`. */
  ref: string;
  defaultBranch?: string | undefined;
  /** Whether a ruleset or a protection covers `ref`. */
  isProtected: boolean;
  /** Of the event `schedule`: its cron expression. */
  cron?: string | undefined;
  /** The input `mode` of the job, or of a run that a person has started. */
  stated?: string | undefined;
}

/**
 * Updates bill an account, so only these events lead to one: a push to the branch, a schedule, and a manual event on the
 * branch that states it. Throws for any other event, because a new event of GitHub may run a commit that nobody merged.
 */
export function modeOf(trigger: Trigger): Mode {
  const [first, ...others] = modesOf(trigger);
  const { event, ref, stated = "" } = trigger;
  if (first === undefined)
    throw new Error(
      `The event ${event} of ${ref} is neither reviewed nor leads to an update. Use pull_request, merge_group, ` +
        "workflow_dispatch, schedule, or a push to the default branch or a protected branch.",
    );
  const mode = [first, ...others].find((each) => each === (stated || first));
  if (mode !== undefined) return mode;
  throw new Error(
    `The mode ${stated} is not possible for the event ${event} of ${ref}. Possible: ${[first, ...others].join(", ")}.` +
      (stated === "up" ? " An update is of the default branch or of a protected branch, after the merge." : ""),
  );
}

/** The possible modes of an event. The first one is that without an input. */
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

/** A schedule with one day of the month runs once a month or less often: it creates expired voices again. */
function isMonthly(cron: string): boolean {
  return /^\d+$/.test(cron.trim().split(/\s+/)[2] ?? "");
}
