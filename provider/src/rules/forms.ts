import * as z from "zod";

/** Names, with a dot between them. `*` stands for each entry of a list or a map. */
const path = z.string().regex(/^[^.]+(\.[^.]+)*$/, "must be names with dots between them, as data.items");

/**
 * The setting `forms`: the paths of the parts of a response, for a service that the search does not understand. A part
 * with a path is not searched for. `voices`: the list or the map of voices. `voice`: the name inside a row. `total`:
 * the number of voices. `task`, `status`: the id and the state of an image task. `pictures`: the addresses of its
 * pictures. `error`: a field that only failed responses have.
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
