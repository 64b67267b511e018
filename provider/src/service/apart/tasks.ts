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
  imageSize: (head) =>
    new Promise((resolve) => {
      const { width, height } = imageSize(head);
      resolve({ width, height });
    }),
};
