import * as z from "zod";
import { InputError } from "../../errors";
import type { Pipeline } from "../hosts/pipeline";
import type { Conversation } from "./conversation";
import type { Requests } from "./requests";

const user = z.object({ id: z.number() });
const comments = z.array(
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
      (await requests.pages(`${path}?per_page=100&sort=asc&order_by=created_at`, comments))
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
