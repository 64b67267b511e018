import { z } from "zod";
import { imageModels } from "./contract";
import { isBucket, parseStorage } from "./storage";
import { changedInputs, declareInputs, flag, input, type InputsOf, isBlank, quoted, text, triggers } from "./inputs";

export const imageInputs = declareInputs("GeneratedImage", [], {
  model: input(
    z.enum(imageModels, {
      error: ({ input: value }) =>
        `is ${quoted(value)}; the asynchronous interface accepts ${imageModels.join(" and ")} only`,
    }),
    {
      description:
        `The model: ${imageModels.map((model) => `\`${model}\``).join(" or ")}. ` +
        "The service offers other models only through an interface that is not asynchronous.",
      change: "replaces",
      type: "ImageModel",
    },
  ),
  prompt: input(z.string("must be a text"), {
    description: "What the image shows. The service was seen to cut it after 800 characters.",
    change: "replaces",
    hidden: true,
  }),
  negativePrompt: input(text.optional(), {
    description: "What to avoid; may be empty. The service was seen to cut it after 500 characters.",
    change: "replaces",
    hidden: true,
  }),
  size: input(
    z
      .string('must be width and height joined by *, as in "1328*1328"')
      .regex(/^\d+\*\d+$/, { error: ({ input: value }) => sizeProblem(String(value)) })
      .optional(),
    {
      description: "Width and height in pixels, joined by `*`: `1328*1328`.",
      change: "replaces",
      default: "the service's own default",
    },
  ),
  n: input(z.int({ error: ({ input: value }) => `is ${quoted(value)}; it must be a whole number` }).optional(), {
    description: "How many images to generate. The service was seen to generate one image per task.",
    change: "replaces",
    default: "the service's own default",
  }),
  promptExtend: input(flag.optional(), {
    description: "Whether the service may extend the prompt.",
    change: "replaces",
    default: "the service's own default",
  }),
  watermark: input(flag.optional(), {
    description: "Whether the service puts its watermark on the image.",
    change: "replaces",
    default: "the service's own default",
  }),
  triggers: input(triggers(), {
    description: "Values whose change generates the image again.",
    change: "replaces",
  }),
  saveTo: input(
    z
      .string("must be a folder's path or the URL of a bucket")
      .min(1, "must be a folder's path or the URL of a bucket")
      .superRefine((written, context) => {
        const storage = parseStorage(written);
        if ("problem" in storage) context.addIssue(storage.problem);
      })
      .optional(),
    {
      description:
        "A folder to save the images in, relative to the folder the program runs in; " +
        "or a bucket, as `s3://bucket/prefix?region=eu-central-1`, with the query parameters of Pulumi's state backends. " +
        "A picture is written whole or not at all, and never deleted. " +
        "If it is missing, a refresh fetches it again while its URL works.",
      change: "updates",
      changeNote: "Another folder or bucket saves the images again, at no cost.",
      default: "the images are not saved",
      // A URL may have credentials in it by mistake.
      hidden: true,
    },
  ),
  timeoutSeconds: input(
    z
      .number("must be a number of seconds over 0")
      .positive({ error: ({ input: value }) => `is ${quoted(value)}; it must be a number of seconds over 0` })
      .optional(),
    {
      description:
        "How many seconds one run waits for the task and its images. The next run goes on waiting, at no cost.",
      change: "updates",
      default: "`customTimeouts.create`, or 900",
    },
  ),
  adoptTask: input(
    z
      .string("must be the id of a task")
      .refine((id) => !isBlank(id), "must be the id of a task")
      .optional(),
    {
      description:
        "The id of a task to take over instead of submitting one, at no cost: for example one whose run died on another " +
        "machine. Each run logs the id of a task that it submits. The service forgets tasks after a day. " +
        "Read at creation only. While it is set, a change that would replace the image fails at preview.",
      change: "updates",
      changeNote: "Taking it out later changes nothing.",
    },
  ),
});

/** The inputs of an image as the state holds them. */
export type ImageInputs = InputsOf<typeof imageInputs>;

/** Why this change is refused while `adoptTask` is set: the replacement would get the pictures of the old task. */
export function adoptedTaskProblem(
  olds: Partial<ImageInputs>,
  news: Partial<ImageInputs>,
  unknown: ReadonlySet<string>,
): string | undefined {
  if (news.adoptTask === undefined || news.adoptTask !== olds.adoptTask) return undefined;
  const changes = changedInputs(imageInputs, "replaces", olds, news, unknown).filter((name) => !unknown.has(name));
  if (changes.length === 0) return undefined;
  return (
    `is set, and ${changes.join(", ")} changed: the replacement would take over the same task. ` +
    "Take adoptTask out to generate another image; if you do not want that, undo the change"
  );
}

/** What a user should know about where the images are kept, once they are paid for. */
export function storageHint({ saveTo }: Pick<ImageInputs, "saveTo">, inPipeline: boolean): string | undefined {
  const bucket = "a bucket: s3://bucket/prefix?region=…";
  if (saveTo === undefined)
    return (
      "saveTo is not set, so the images are kept nowhere, and their URLs expire in a day. " +
      `To keep them, set saveTo to a folder, or to ${bucket}`
    );
  if (!inPipeline || isBucket(saveTo)) return undefined;
  return (
    "saveTo is a folder of this machine, and the environment variable CI says that this is a pipeline. " +
    `To keep the images after the run, set saveTo to ${bucket}`
  );
}

function sizeProblem(size: string): string {
  const corrected = size.replace(/^\s*([1-9]\d*)\s*[x×X*]\s*([1-9]\d*)\s*$/, "$1*$2");
  const example = corrected === size ? 'as in "1328*1328"' : `"${corrected}"`;
  return `is ${quoted(size)}; it must be width and height joined by *, ${example}`;
}

/**
 * Limits that the service was seen to keep without promising them, and values that it probably refuses: worth a warning,
 * not a refusal, because its document allows them.
 */
export function imageWarnings({ prompt, negativePrompt, size, n }: Readonly<Record<string, unknown>>): string[] {
  const usualSizes = ["1664*928", "1472*1104", "1328*1328", "1104*1472", "928*1664"];
  const warnings: string[] = [];
  if (isBlank(prompt)) warnings.push("the prompt is empty; the service may refuse it");
  if (typeof prompt === "string" && prompt.length > 800) {
    warnings.push(`the prompt has ${prompt.length} characters; the service was seen to cut it after 800`);
  }
  if (typeof negativePrompt === "string" && negativePrompt.length > 500) {
    const { length } = negativePrompt;
    warnings.push(`the negative prompt has ${length} characters; the service was seen to cut it after 500`);
  }
  if (typeof size === "string" && !usualSizes.includes(size)) {
    warnings.push(`the service was seen to generate the sizes ${usualSizes.join(", ")}, and not ${size}`);
  }
  if (typeof n === "number" && n !== 1) {
    warnings.push(`n is ${n}; the service was seen to generate one image per task`);
  }
  return warnings;
}
