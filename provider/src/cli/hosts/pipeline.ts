import { InputError } from "../../errors";
import * as z from "zod";
import { attempt } from "../../describe-thrown";
import { readRegularFile } from "../../files";

export const hosts = ["github", "gitlab"] as const;
export type Host = (typeof hosts)[number];

/** Facts about a pipeline, from its variables. A field is undefined if no variable states it. */
export interface Pipeline {
  host: Host;
  /** The address of the host's API, without a slash at its end. */
  api: string;
  /** The address at which people and Git find repositories, without a slash at its end. */
  server: string;
  /** The name in the host's API: `owner/name`, in GitLab also a number. */
  repository: string;
  /** The number of the pull request. */
  number?: string | undefined;
  /** The address of the repository for Git, without a login. */
  gitUrl: string;
  /** The name of the branch that the change goes to. */
  base?: string | undefined;
  change?: string | undefined;
  isPublic?: boolean | undefined;
}

type Facts = Omit<Pipeline, "host" | "repository" | "gitUrl"> & {
  isHere: boolean;
  repository?: string | undefined;
  gitUrl: (repository: string, server: string) => string;
};
type Find = (name: string) => string | undefined;

const facts: Record<Host, (find: Find, event: GitHubEvent | undefined) => Facts> = {
  github: (find, event) => {
    const [server, api] = [find("GITHUB_SERVER_URL"), find("GITHUB_API_URL")];
    return {
      isHere: find("GITHUB_ACTIONS") !== undefined,
      api: api ?? apiOfGitHub(server ?? "https://github.com"),
      // If only GITHUB_API_URL is set, the token must go to its server, and not to github.com.
      server: server ?? api?.replace(/\/api\/v3\/?$/, "").replace("//api.", "//") ?? "https://github.com",
      repository: find("GITHUB_REPOSITORY"),
      number: event?.pull_request?.number.toString() ?? /^refs\/pull\/(\d+)\//.exec(find("GITHUB_REF") ?? "")?.[1],
      gitUrl: (repository, at) => `${at}/${repository}.git`,
      base: find("GITHUB_BASE_REF"),
      change: find("GITHUB_SHA"),
      isPublic: isPublicOnGitHub(event),
    };
  },
  gitlab: (find) => {
    const api = find("CI_API_V4_URL");
    const server = find("CI_SERVER_URL") ?? api?.replace(/\/api\/v4\/?$/, "") ?? "https://gitlab.com";
    const visibility = find("CI_PROJECT_VISIBILITY");
    const projectUrl = find("CI_PROJECT_URL");
    return {
      isHere: find("GITLAB_CI") !== undefined,
      api: api ?? `${server}/api/v4`,
      server,
      repository: find("CI_MERGE_REQUEST_PROJECT_ID") ?? find("CI_PROJECT_ID"),
      number: find("CI_MERGE_REQUEST_IID"),
      gitUrl: (repository, at) => `${/^\d+$/.test(repository) && projectUrl ? projectUrl : `${at}/${repository}`}.git`,
      base: find("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"),
      change: find("CI_COMMIT_SHA"),
      isPublic: visibility === undefined ? undefined : !["private", "internal"].includes(visibility),
    };
  },
};

export function pipelineOf(env: NodeJS.ProcessEnv, event: GitHubEvent | undefined): Pipeline {
  // An empty variable counts as unset: some pipelines set inapplicable variables to "".
  const find: Find = (name) => env[name]?.trim() || undefined;
  const [host, ...others] = hosts.filter((each) => facts[each](find, event).isHere);
  if (host === undefined || others.length > 0)
    throw new InputError(
      "The pipeline's variables do not say which host the repository is on. Outside of a pipeline of GitHub or GitLab, " +
        "set the variables of one of them, as GITHUB_ACTIONS or GITLAB_CI.",
    );
  const { isHere: _, repository, gitUrl, ...pipeline } = facts[host](find, event);
  if (repository === undefined || !isRepository(host, repository))
    throw new InputError("The pipeline's variables do not name a repository, as owner/name.");
  const server = addressFrom(pipeline.server, host);
  return {
    ...{ ...pipeline, host, repository, server },
    api: addressFrom(pipeline.api, `the API of ${host}`),
    gitUrl: addressFrom(gitUrl(repository, server), "the repository"),
  };
}

/** The variables that may contain a token for the host. The first variable that is set counts. */
export const tokens: Record<Host, readonly string[]> = {
  github: ["GITHUB_TOKEN", "GH_TOKEN"],
  gitlab: ["GITLAB_TOKEN"],
};

export function tokenOf(env: NodeJS.ProcessEnv, names: readonly string[]): { name: string; token: string } {
  const name = names.find((each) => env[each]?.trim());
  if (name === undefined)
    throw new InputError(`There is no token for the host. Set ${names.join(" or ")} for this step.`);
  return { name, token: env[name]?.trim() ?? "" };
}

/** The address of the API of github.com, of a tenant of `ghe.com`, or of an Enterprise Server. */
function apiOfGitHub(server: string): string {
  if (/^https:\/\/(github\.com|[\w-]+\.ghe\.com)\/?$/i.test(server)) return server.replace("//", "//api.");
  return `${server.replace(/\/$/, "")}/api/v3`;
}

function isPublicOnGitHub({ repository }: GitHubEvent = {}): boolean | undefined {
  if (repository?.visibility !== undefined) return !["private", "internal"].includes(repository.visibility);
  return repository?.private === undefined ? undefined : !repository.private;
}

function isRepository(host: Host, name: string): boolean {
  const parts = name.split("/");
  const isPart = (part: string) => !["", ".", ".."].includes(part) && /^[^\p{C}\\?#%]+$/u.test(part);
  return parts.every(isPart) && (host === "gitlab" || parts.length === 2);
}

/** Returns the address without a login and without a slash at its end. */
function addressFrom(text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InputError(
      `The pipeline's variables do not contain a valid address of ${what}. See docs/cli.md#comment.`,
    );
  url.username = url.password = url.search = url.hash = "";
  return url.href.endsWith("/") ? url.href.slice(0, -1) : url.href;
}

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
    "The file in GITHUB_EVENT_PATH cannot be read as the event of a run on GitHub. Outside of GitHub, unset " +
      "GITHUB_EVENT_PATH.",
  );
}
