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

/** The only place where third-party libraries get a file. */
export const tasks: { [Name in keyof Results]: (content: Buffer) => Promise<Results[Name]> } = {
  measure,
  knownKind,
  imageSize: (content) =>
    new Promise((resolve) => {
      const { width, height, orientation = 1 } = imageSize(content);
      // A camera stores its pictures unrotated: those with an orientation from 5 on are turned by a quarter.
      resolve(orientation >= 5 ? { width: height, height: width } : { width, height });
    }),
};
