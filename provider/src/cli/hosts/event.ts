import * as z from "zod";
import { attempt } from "../../attempt";
import { InputError } from "../../errors";
import { readRegularFile } from "../../files";

/** The size limit for the file of an event. The largest payload of GitHub has 25 MB. */
const mostBytes = 32 * 1024 * 1024;

/** The fields that this package reads in the event of a run on GitHub. */
const payload = z.object({
  pull_request: z.object({ number: z.number().int().positive() }).optional(),
  repository: z.object({ visibility: z.string().optional(), private: z.boolean().optional() }).optional(),
});

export type GitHubEvent = z.infer<typeof payload>;

/** The event of this run. Undefined if GITHUB_EVENT_PATH is not set, e.g. outside of GitHub. */
export function readEvent({ GITHUB_EVENT_PATH: path }: NodeJS.ProcessEnv): GitHubEvent | undefined {
  if (!path) return undefined;
  const bytes = readRegularFile(path, mostBytes);
  // The parser's message would quote the event, which may be secret.
  const event = bytes && attempt(() => payload.parse(JSON.parse(bytes.toString())));
  if (event !== undefined) return event;
  throw new InputError(
    "The file in GITHUB_EVENT_PATH cannot be read as the event of a run on GitHub. " +
      "Outside of GitHub, unset GITHUB_EVENT_PATH, and use --host, --repository and --number.",
  );
}
