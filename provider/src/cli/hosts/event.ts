import * as z from "zod";
import { InputError } from "../../errors";
import { readRegularFile } from "../../files";

/** More than the largest payload of GitHub, which has 25 MB. */
const mostBytes = 32 * 1024 * 1024;

const numbered = z.object({ number: z.number().int().positive() });

/** The fields that this package reads in the event of a run on GitHub. */
const payload = z.object({
  pull_request: numbered.optional(),
  /** Set for a comment. `pull_request` is present if the issue is a pull request. */
  issue: numbered.extend({ pull_request: z.unknown().optional() }).optional(),
  workflow_run: z.object({ pull_requests: z.array(numbered) }).optional(),
  repository: z.object({ visibility: z.string().optional(), private: z.boolean().optional() }).optional(),
});

export type GitHubEvent = z.infer<typeof payload>;

/** The event of this run. Undefined outside of GitHub. */
export function readEvent({ GITHUB_EVENT_PATH: path }: NodeJS.ProcessEnv): GitHubEvent | undefined {
  if (!path) return undefined;
  const bytes = readRegularFile(path, mostBytes);
  try {
    if (bytes !== undefined) return payload.parse(JSON.parse(bytes.toString()));
  } catch {
    // The parser's message would quote the event, which may be secret.
  }
  throw new InputError(
    "The event in GITHUB_EVENT_PATH cannot be read: it is not the JSON of a run on GitHub. " +
      "Elsewhere, unset the variable, and state --host, --repository and --number.",
  );
}

/** The number of the event's pull request. Undefined if there are several. */
export function pullRequestOf(event: GitHubEvent = {}): number | undefined {
  const { pull_request: pullRequest, issue, workflow_run: run } = event;
  if (pullRequest !== undefined) return pullRequest.number;
  if (issue?.pull_request !== undefined) return issue.number;
  return run?.pull_requests.length === 1 ? run.pull_requests[0]?.number : undefined;
}
