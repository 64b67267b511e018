import { z } from "zod";
import { imageModels } from "./image";
import { flag, input, type InputsOf, isBlank, quoted, text, triggers } from "./inputs";

export const imageInputs = z.object({
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
  prompt: input(
    text.refine((value) => !isBlank(value), "must not be empty"),
    {
      description: "What the image shows. The service was seen to cut it after 800 characters.",
      change: "replaces",
      hidden: true,
    },
  ),
  negativePrompt: input(text.optional(), {
    description: "What to avoid; may be empty. The service was seen to cut it after 500 characters.",
    change: "replaces",
    hidden: true,
  }),
  size: input(
    z
      .string('must be width and height joined by *, as in "1328*1328"')
      .regex(/^[1-9]\d*\*[1-9]\d*$/, { error: ({ input: value }) => sizeProblem(String(value)) })
      .optional(),
    {
      description: "Width and height in pixels, joined by `*`: `1328*1328`.",
      change: "replaces",
      default: "the service's own default",
    },
  ),
  n: input(
    z
      .int({ error: ({ input: value }) => countProblem(value) })
      .min(1, { error: ({ input: value }) => countProblem(value) })
      .optional(),
    {
      description: "How many images to generate, from 1. The service was seen to generate one image per task.",
      change: "replaces",
      default: "the service's own default",
    },
  ),
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
  saveTo: input(z.string("must be a folder's path").min(1, "must be a folder's path").optional(), {
    description:
      "A folder to save the images in, relative to the folder the program runs in. " +
      "A file is written whole or not at all, and never deleted. " +
      "If a file is missing on this machine, it is fetched again while its URL works.",
    change: "updates",
    changeNote: "Another folder saves the images again, at no cost.",
    default: "the images are not saved",
  }),
  timeoutSeconds: input(
    z
      .number("must be a number of seconds over 0")
      .positive({ error: ({ input: value }) => `is ${quoted(value)}; it must be a number of seconds over 0` })
      .optional(),
    {
      description: "How many seconds one run waits for the task. The next run goes on waiting, at no cost.",
      change: "updates",
      default: "`customTimeouts.create`, or 900",
    },
  ),
});

/** The inputs of an image as the state holds them. */
export type ImageInputs = InputsOf<typeof imageInputs>;

function sizeProblem(size: string): string {
  const [, width, height] = /^\s*(\d+)\s*[x×X*]\s*(\d+)\s*$/.exec(size) ?? [];
  const example = width === undefined ? 'as in "1328*1328"' : `"${width}*${String(height)}"`;
  return `is ${quoted(size)}; it must be width and height joined by *, ${example}`;
}

function countProblem(count: unknown): string {
  return `is ${quoted(count)}; it must be a whole number from 1`;
}

/** Limits that the service was seen to keep without promising them: worth a warning, not a refusal. */
export function imageWarnings({ prompt, negativePrompt, size, n }: Readonly<Record<string, unknown>>): string[] {
  const usualSizes = ["1664*928", "1472*1104", "1328*1328", "1104*1472", "928*1664"];
  const warnings: string[] = [];
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
  if (typeof n === "number" && n > 1) {
    warnings.push(`n is ${n}; the service was seen to generate one image per task`);
  }
  return warnings;
}
