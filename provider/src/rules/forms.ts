import * as z from "zod";

/** Names, with a dot between them. `*` stands for each entry of a list or a map. */
const path = z.string().regex(/^[^.]+(\.[^.]+)*$/, "must be names with dots between them, as data.items");

/**
 * Where the responses of a service have their parts: the setting `forms`. With a path nothing is searched for that part.
 * `voices`: the list or the map of the voices. `voice`: the name inside a row. `total`: how many voices there are. `task`,
 * `status`: the id and the state of an image task. `pictures`: the addresses of its pictures. `error`: what a failed
 * response has and a good one has not.
 */
export const formsSchema = z.strictObject({
  voices: path.optional(),
  voice: path.optional(),
  total: path.optional(),
  task: path.optional(),
  status: path.optional(),
  pictures: path.optional(),
  error: path.optional(),
});

export type Forms = z.infer<typeof formsSchema>;
