/** The newest commit of the branch that an update deploys. */

export interface Run {
  /** The address of the API of GitHub, or of an Enterprise Server. */
  api: string;
  /** `owner/name`. */
  repository: string;
  /** The branch of the run, e.g. `refs/heads/main`. */
  ref: string;
  /** The commit of the run. */
  sha: string;
  token: string;
}

/**
 * Throws if the branch has a newer commit than the run, e.g. because the run waited for an approval, or because an old
 * run is started again: the update would put the old recordings back, and pay for them.
 */
export async function assertNewest({ sha, ...run }: Run): Promise<void> {
  const branch = run.ref.replace("refs/heads/", "");
  const newest = await tipOf(branch, run);
  if (newest === sha) return;
  throw new Error(
    `This run is of the commit ${sha}, and the branch ${branch} is at ${newest}. The update would undo later ` +
      "changes, and pay for that. Run the job of the newest commit, or state `older: true` to go back on purpose (in " +
      "the recipes: the variable CLOUDVOICE_OLDER).",
  );
}

/** Asks the API, because the checkout is as old as the run. */
async function tipOf(branch: string, { api, repository, token }: Omit<Run, "sha">): Promise<string> {
  const url = `${api}/repos/${repository}/git/ref/heads/${branch.split("/").map(encodeURIComponent).join("/")}`;
  const unknown = (why: string) =>
    new Error(
      `Nothing is updated: whether the branch ${branch} has a newer commit is unknown. ${api} ${why}. The job needs ` +
        "`contents: read`. Run the job again, or state `older: true` to update without this check.",
    );
  const headers = { authorization: `Bearer ${token}`, accept: "application/vnd.github+json" };
  const response = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(30_000) }).catch(
    (error: unknown) => {
      throw unknown(`can't be reached (${reasonOf(error)})`);
    },
  );
  if (response.status !== 200) throw unknown(`responded with HTTP ${response.status}`);
  const body = (await response.json().catch(() => undefined)) as { object?: { sha?: unknown } } | undefined;
  const sha = body?.object?.sha;
  if (typeof sha !== "string" || !/^[0-9a-f]{40,64}$/.test(sha)) throw unknown("did not respond with a commit");
  return sha;
}

/** The reason of Node.js, which `fetch` hides in the cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
