import * as z from "zod";

/** A path: names with dots between them. `*` stands for each entry of a list or a map. */
const path = z.string().regex(/^[^.=]+(\.[^.=]+)*$/, "must be names with dots between them, as data.items");

/** Names that `ignore` refuses, because such a field may report a failed call. */
const neverIgnored = /code|err|fail|fault|exception|problem|status|state|success|result|message|msg|^(ret|ok)$/i;

/** The setting `forms`: the paths of parts in the service's responses. settings.ts says what each part is. */
export const formsSchema = z.strictObject({
  voices: path.optional(),
  voice: path.optional(),
  total: path.optional(),
  task: path.optional(),
  status: path.optional(),
  pictures: path.optional(),
  error: z
    .string()
    .regex(
      /^[^.=]+(\.[^.=]+)*(=.+)?$/,
      "must be names with dots between them, as base_resp.code, or with a value, as code=10000",
    )
    .optional(),
  ignore: z
    .array(z.string().refine((name) => !neverIgnored.test(name), "can't be a code, an error, a status or a message"))
    .optional(),
});

export type Forms = z.infer<typeof formsSchema>;
