import * as z from "zod";
import { CloudVoiceError } from "../../errors";
import type { Pipeline } from "../hosts/pipeline";
import type { Conversation } from "./conversation";
import type { Requests } from "./requests";

const user = z.object({ uuid: z.string() });
const comments = z.object({
  values: z.array(
    z.object({
      id: z.number(),
      deleted: z.boolean().optional(),
      content: z.object({ raw: z.string().nullish() }).nullish(),
      user: user.partial().nullish(),
    }),
  ),
});

export function bitbucket(pipeline: Pipeline, requests: Requests): Conversation {
  const { api, repository, number } = pipeline;
  const name = repository.split("/").map(encodeURIComponent).join("/");
  const path = `${api}/repositories/${name}/pullrequests/${number}/comments`;
  return {
    // A repository access token does not belong to a user, so Bitbucket refuses this call.
    me: () =>
      requests.get(`${api}/user`, user).then(
        ({ uuid }) => uuid,
        (error: unknown) => {
          if (CloudVoiceError.is(error) && [401, 403, 404].includes(error.status ?? 0)) return undefined;
          throw error;
        },
      ),
    notes: async () =>
      (await requests.pages(`${path}?pagelen=100`, comments))
        .flatMap(({ values }) => values)
        .filter(({ deleted }) => deleted !== true)
        .map(({ id, content, user: author }) => ({
          ...{ order: id, author: author?.uuid, body: content?.raw ?? "", path: `${path}/${id}` },
        })),
    create: (raw) => requests.send("POST", path, { content: { raw } }),
    update: (note, raw) => requests.send("PUT", note.path, { content: { raw } }),
  };
}
