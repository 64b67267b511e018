import * as z from "zod";
import type { Pipeline } from "../hosts/pipeline";
import type { Requests } from "./requests";
import { InputError } from "../../errors";

/** A comment on a pull request. */
interface Comment {
  /** Higher for newer comments. */
  order: number;
  author: string | undefined;
  body: string;
  /** The path of the comment in the API. */
  path: string;
}

/** The comments on one pull request, on one of the hosts. */
export interface Conversation {
  /** The author of comments that are written with this token. */
  me(): Promise<string>;
  comments(): Promise<Comment[]>;
  create(body: string): Promise<unknown>;
  update(comment: Comment, body: string): Promise<unknown>;
  /** The address of the page that this pipeline has published with the review. */
  page(artifact: string | undefined): Promise<string | undefined>;
}

export type Behavior = "update" | "new";

/** Replaces the newest comment of the same author whose first line is `mark`, or posts a new comment. */
export async function post(
  conversation: Conversation,
  { mark, body }: { mark: string; body: string },
  behavior: Behavior,
): Promise<"posted" | "updated"> {
  if (behavior === "update") {
    const [me, comments] = [await conversation.me(), await conversation.comments()];
    const firstLineOf = ({ body: text }: Comment) => text.slice(0, 1000).split("\n")[0]?.trimEnd();
    const [newest] = comments
      .filter((comment) => comment.author === me && firstLineOf(comment) === mark)
      .sort((a, b) => b.order - a.order);
    if (newest !== undefined) {
      await conversation.update(newest, body);
      return "updated";
    }
  }
  await conversation.create(body);
  return "posted";
}

const viewer = z.object({ data: z.object({ viewer: z.object({ login: z.string() }) }) });
const githubComments = z.array(
  z.object({ id: z.number(), body: z.string().nullish(), user: z.object({ login: z.string() }).nullish() }),
);
const artifacts = z.object({
  artifacts: z.array(
    z.object({ id: z.number(), name: z.string(), expired: z.boolean().optional(), created_at: z.string().nullish() }),
  ),
});

/** A pull request on GitHub or an Enterprise Server. */
export function gitHub(pipeline: Pipeline, requests: Requests, env = process.env): Conversation {
  const { api, server, number } = pipeline;
  const repository = pipeline.repository.split("/").map(encodeURIComponent).join("/");
  const path = `${api}/repos/${repository}`;
  const issue = `${path}/issues/${number}/comments`;
  return {
    // For the token of a job, only the GraphQL API reports the user.
    me: async () => {
      const query = { query: "{ viewer { login } }" };
      return (await requests.post(`${api.replace(/\/v3$/, "")}/graphql`, query, viewer)).data.viewer.login;
    },
    comments: async () =>
      (await requests.pages(`${issue}?per_page=100`, githubComments)).flat().map(({ id, body, user }) => ({
        ...{ order: id, author: user?.login, body: body ?? "", path: `${path}/issues/comments/${id}` },
      })),
    create: (body) => requests.send("POST", issue, { body }),
    update: (comment, body) => requests.send("PATCH", comment.path, { body }),
    page: async (name = "") => {
      const { GITHUB_RUN_ID: run } = env;
      if (!run) return undefined;
      const list = `${path}/actions/runs/${run}/artifacts?per_page=100&name=${encodeURIComponent(name)}`;
      // Each attempt of a run has an artifact of this name. The newest artifact contains the newest review.
      const [newest] = (await requests.pages(list, artifacts))
        .flatMap((page) => page.artifacts)
        .filter((each) => each.name === name && each.expired !== true)
        .sort((a, b) => (b.created_at ?? "").localeCompare(a.created_at ?? "") || b.id - a.id);
      const address = `${server}/${repository}/actions/runs/${run}`;
      return newest === undefined ? `${address}#artifacts` : `${address}/artifacts/${newest.id}`;
    },
  };
}

const user = z.object({ id: z.number() });
const gitlabComments = z.array(
  z.object({ id: z.number(), body: z.string(), author: user.nullish(), system: z.boolean().optional() }),
);
const jobs = z.array(z.object({ id: z.number(), name: z.string() }));

/** A merge request on GitLab, hosted or self-managed. */
export function gitLab(pipeline: Pipeline, requests: Requests, env = process.env): Conversation {
  const { api, repository, number } = pipeline;
  const path = `${api}/projects/${encodeURIComponent(repository)}/merge_requests/${number}/notes`;
  return {
    me: async () => String((await requests.get(`${api}/user`, user)).id),
    comments: async () =>
      (await requests.pages(`${path}?per_page=100&sort=asc&order_by=created_at`, gitlabComments))
        .flat()
        .filter(({ system }) => system !== true)
        .map(({ id, author, body }) => ({ order: id, author: author?.id.toString(), body, path: `${path}/${id}` })),
    create: (body) => requests.send("POST", path, { body }),
    update: (comment, body) => requests.send("PUT", comment.path, { body }),
    page: async (artifact) => {
      if (artifact === undefined) return undefined;
      const { CI_PROJECT_ID: project, CI_PIPELINE_ID: id, CI_PROJECT_URL: server } = env;
      const [, name, file] = /^([^/]+)\/(.+)$/.exec(artifact) ?? [];
      if (!project || !id || !server || file === undefined)
        throw new InputError("--page-artifact must be <job>/<path of the page>, and works only in a job of GitLab.");
      const listed = await requests.pages(`${api}/projects/${project}/pipelines/${id}/jobs?per_page=100`, jobs);
      // Each attempt of a retried job has its own id. The newest attempt has the highest id.
      const newest = Math.max(0, ...listed.flat().map((job) => (job.name === name ? job.id : 0)));
      if (newest === 0)
        throw new InputError(`--page-artifact names the job ${name}, which this pipeline does not have.`);
      return `${server}/-/jobs/${newest}/artifacts/file/${file.split("/").map(encodeURIComponent).join("/")}`;
    },
  };
}
