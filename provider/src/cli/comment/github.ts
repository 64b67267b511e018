import * as z from "zod";
import type { Pipeline } from "../hosts/pipeline";
import type { Conversation } from "./conversation";
import type { Requests } from "./requests";

const viewer = z.object({ data: z.object({ viewer: z.object({ login: z.string() }) }) });
const comments = z.array(
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
      (await requests.pages(`${issue}?per_page=100`, comments)).flat().map(({ id, body, user }) => ({
        ...{ order: id, author: user?.login, body: body ?? "", path: `${path}/issues/comments/${id}` },
      })),
    create: (body) => requests.send("POST", issue, { body }),
    update: (comment, body) => requests.send("PATCH", comment.path, { body }),
    page: async (name = "") => {
      const { GITHUB_RUN_ID: run, GITHUB_REPOSITORY: repositoryOfRun } = env;
      if (!run || repositoryOfRun !== pipeline.repository) return undefined;
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
