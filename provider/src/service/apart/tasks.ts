import { imageSize } from "image-size";
import type { Measured } from "../audio/measured";
import type { Named } from "../file-kind";
import { knownKind } from "./known-kind";
import { measure } from "./measure";

export interface Results {
  measure: Measured;
  knownKind: Named | undefined;
  imageSize: { width: number; height: number };
}

/** The work of the child process. Third-party libraries read untrusted files only in these functions. */
export const tasks: { [Name in keyof Results]: (content: Buffer) => Promise<Results[Name]> } = {
  measure,
  knownKind,
  imageSize: (content) =>
    new Promise((resolve) => {
      const { width, height, orientation = 1 } = imageSize(content);
      // An orientation of 5 or more means that a viewer turns the picture by 90°, so width and height change places.
      resolve(orientation >= 5 ? { width: height, height: width } : { width, height });
    }),
};
