import * as z from "zod";
import type { Pipeline } from "../hosts/pipeline";
import type { Conversation } from "./conversation";
import type { Requests } from "./requests";

const identity = z.object({ authenticatedUser: z.object({ id: z.string() }) });
const threads = z.object({
  value: z.array(
    z.object({
      id: z.number(),
      isDeleted: z.boolean().nullish(),
      comments: z
        .array(
          z.object({
            id: z.number(),
            content: z.string().nullish(),
            isDeleted: z.boolean().nullish(),
            author: z.object({ id: z.string() }).nullish(),
          }),
        )
        .nullish(),
    }),
  ),
});

/** Reads only the first comment of each thread. */
export function azureRepos(pipeline: Pipeline, requests: Requests): Conversation {
  const [project, name] = pipeline.repository.split("/").map(encodeURIComponent);
  const path = `${pipeline.api}/${project}/_apis/git/repositories/${name}/pullRequests/${pipeline.number}/threads`;
  const version = "api-version=7.0";
  return {
    me: async () =>
      (await requests.get(`${pipeline.api}/_apis/connectionData?api-version=7.0-preview`, identity)).authenticatedUser
        .id,
    // One response has all threads.
    notes: async () =>
      (await requests.get(`${path}?${version}`, threads)).value.flatMap(({ id, isDeleted, comments }) => {
        const first = comments?.[0];
        if (first === undefined || isDeleted === true || first.isDeleted === true) return [];
        const { author, content } = first;
        return [{ order: id, author: author?.id, body: content ?? "", path: `${path}/${id}/comments/${first.id}` }];
      }),
    // The new thread is closed, because a policy may block a pull request with open threads.
    create: (content) =>
      requests.send("POST", `${path}?${version}`, {
        comments: [{ parentCommentId: 0, content, commentType: "text" }],
        status: "closed",
      }),
    update: (note, content) => requests.send("PATCH", `${note.path}?${version}`, { content }),
  };
}
