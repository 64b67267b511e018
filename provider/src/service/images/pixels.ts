import { imageSize } from "image-size";
import { attempt } from "../../describe-thrown";

/** The width and height of a picture, as a viewer shows it. Undefined if they can't be read. */
export function pixelsOf(content: Buffer): { width: number; height: number } | undefined {
  const size = attempt(() => imageSize(content));
  if (size === undefined) return undefined;
  const { width, height, orientation = 1 } = size;
  // An orientation of 5 or more means that a viewer turns the picture by 90°, so width and height change places.
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}
