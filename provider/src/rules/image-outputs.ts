import * as z from "zod";
import { accountOutput, namedType, optionalText, output } from "./outputs";

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
  account: accountOutput(),
});
