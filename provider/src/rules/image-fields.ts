import * as z from "zod";
import { imageModels } from "./contract";
import { textsOf } from "./visible";
import {
  alikeTexts,
  changedInputs,
  declareInputs,
  filledText,
  flag,
  type InputsOf,
  quoted,
  replaces,
  text,
  triggers,
  triggersExample,
  updates,
} from "./inputs";
import { checkStorage, isBucket, isSamePlace } from "./storage";
import { namedType, optionalText, output } from "./outputs";

const serviceDefault = { default: "the service's own default" };

export const imageInputs = declareInputs("GeneratedImage", [], {
  // @persisted
  model: replaces(
    z.enum(imageModels, {
      error: ({ input: value }) =>
        `is ${quoted(value)}; the asynchronous interface accepts ${imageModels.join(" and ")} only`,
    }),
    `The model: ${imageModels.map((model) => `\`${model}\``).join(" or ")}.`,
    { type: "ImageModel" },
  ),
  prompt: replaces(
    filledText("must be a text", "is empty, so it describes no image"),
    "What the image shows. The service was seen to cut it after 800 characters.",
    { hidden: true, ...alikeTexts },
  ),
  negativePrompt: replaces(
    text.optional(),
    "What to avoid; may be empty. The service was seen to cut it after 500 characters.",
    { hidden: true, ...alikeTexts },
  ),
  size: replaces(
    z
      .string('must be width and height joined by *, as in "1328*1328"')
      .regex(/^\d+\*\d+$/, { error: ({ input: value }) => sizeProblem(String(value)) })
      .optional(),
    "Width and height in pixels.",
    { ...serviceDefault, example: '"1328*1328"' },
  ),
  n: replaces(
    z
      .int({ error: ({ input: value }) => `is ${quoted(value)}; it must be a whole number` })
      .positive({ error: ({ input: value }) => `is ${quoted(value)}; it must be 1 or more` })
      .optional(),
    "How many images to generate. So far, the service generated one per task.",
    { ...serviceDefault, isAlike: isReceivedNumber },
  ),
  promptExtend: replaces(flag.optional(), "Whether the service may extend the prompt.", serviceDefault),
  watermark: replaces(flag.optional(), "Whether the service puts its watermark on the image.", serviceDefault),
  triggers: replaces(triggers(), "Values whose change generates the image again.", { example: triggersExample }),
  saveTo: updates(
    z
      .string("must be a folder's path or the URL of a bucket")
      .min(1, "must be a folder's path or the URL of a bucket")
      .superRefine(checkStorage)
      .optional(),
    "Where to save the images: a bucket, or a folder relative to the one that the program runs in. " +
      "Files are never deleted. A refresh downloads a missing file again while the image's URL works.",
    {
      changeDetail: "After a change, the images are saved in the new place too, at no cost.",
      default: "the images are not saved",
      example: '"s3://bucket/covers?region=eu-central-1"',
      isAlike: isSamePlace,
      // A URL may have credentials in it by mistake.
      hidden: true,
    },
  ),
  timeoutSeconds: updates(
    z
      .number("must be a number of seconds over 0")
      .positive({ error: ({ input: value }) => `is ${quoted(value)}; it must be a number of seconds over 0` })
      .optional(),
    "How many seconds one run waits for the task and its images. The next run goes on waiting, at no cost.",
    { default: "`customTimeouts.create`, or 900" },
  ),
  adoptTask: updates(
    filledText("must be the id of a task").optional(),
    "The id of a task to use, free, instead of submitting one. Read at creation only. A run logs the ids of its tasks. " +
      "The service forgets tasks after a day. " +
      "While `adoptTask` is set, a change that would replace the image fails at preview.",
    { changeDetail: "Taking it out later changes nothing." },
  ),
});

export type ImageInputs = InputsOf<typeof imageInputs>;

/** Why this change is refused: with `adoptTask`, a replacement would get the pictures of the old task. */
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
    "Remove adoptTask to generate another image, or undo the change"
  );
}

/**
 * Whether the task has as many pictures as requested. The requested number is `fresh`, or `old` if the program no
 * longer sets it.
 */
function isReceivedNumber(old: unknown, fresh: unknown, { images = [] }: { images?: readonly object[] }): boolean {
  const received = images.filter((image) => !("error" in image)).length;
  return (fresh ?? old) === received;
}

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

/**
 * An upper bound of the pictures' size in bytes: uncompressed, with 4 bytes per pixel. Without `size`, assumes the
 * largest size that the service was seen to generate.
 */
export function mostBytes({ size = "1328*1328", n = 1 }: Pick<ImageInputs, "size" | "n">): number {
  const [width = 0, height = 0] = size.split("*").map(Number);
  return width * height * 4 * n;
}

function sizeProblem(size: string): string {
  const corrected = size.replace(/^\s*([1-9]\d*)\s*[x×X*]\s*([1-9]\d*)\s*$/, "$1*$2");
  const example = corrected === size ? 'as in "1328*1328"' : `"${corrected}"`;
  return `is ${quoted(size)}; it must be width and height joined by *, ${example}`;
}

/** Warnings about values that the service's document allows, but the service was seen to ignore or cut. */
export function imageWarnings({ prompt, negativePrompt, size, n }: Partial<ImageInputs>): string[] {
  const usualSizes = ["1664*928", "1472*1104", "1328*1328", "1104*1472", "928*1664"];
  const cut = (what: string, most: number, length = 0) =>
    length > most && `the ${what} has ${length} characters; the service was seen to cut it after ${most}`;
  return textsOf([
    cut("prompt", 800, prompt?.length),
    cut("negative prompt", 500, negativePrompt?.length),
    size !== undefined &&
      !usualSizes.includes(size) &&
      `the service was seen to generate the sizes ${usualSizes.join(", ")}, and not ${size}`,
    n !== undefined && n !== 1 && `n is ${n}; the service was seen to generate one image per task`,
  ]);
}

/** One image of a task: the image itself, or why it failed. */
export const imageFields = namedType(
  {
    name: "Image",
    programName: "ImageOutput",
    description: "One image of a task: the image itself, or why it failed.",
  },
  {
    url: optionalText("The service's signed URL, which works for a day. Absent for an image that failed."),
    sha256: optionalText("SHA-256 of the bytes, in hexadecimal. Absent until the image was downloaded."),
    contentType: optionalText("The media type, for example `image/png`."),
    width: output(z.int().optional(), "Pixels."),
    height: output(z.int().optional(), "Pixels."),
    bytes: output(z.int().optional(), "The size of the image."),
    file: optionalText(
      "Where the image is saved: a path relative to the program's folder, or the object's address (`s3://…`).",
    ),
    actualPrompt: optionalText("The prompt as the service extended it."),
    error: optionalText("Why there is no image, or why it is damaged."),
    code: optionalText("The service's code for the error, e.g. `DataInspectionFailed`."),
  },
);

// `file` contains `saveTo`.
const derivedFrom = ["prompt", "negativePrompt", "saveTo"];

/** The fields that the state of an image has in addition to its inputs. */
export const imageOutputs = z.object({
  // @persisted
  taskId: output(z.string(), "The service's id of the task; the same as `id`."),
  taskStatus: output(z.string(), "The status of the task: `SUCCEEDED` once the images exist."),
  images: output(z.array(imageFields), {
    description:
      "The images: `url` (the service keeps it for a day), `sha256`, `contentType`, `width`, `height`, `bytes`, `file`, " +
      "`actualPrompt`. A failed image has an `error`, and a `code` if the service gave one. Secret when a prompt or `saveTo` is.",
    derivedFrom,
  }),
  taskOutput: output(z.unknown().optional(), {
    description:
      "The service's response about the finished task, if it has no recognised image. Secret when `images` is.",
    derivedFrom,
    type: "unknown",
  }),
  requestId: optionalText("The service's id of the request that submitted the task."),
  expiresAt: optionalText("The latest expiry of the images' URLs, in ISO 8601."),
});
