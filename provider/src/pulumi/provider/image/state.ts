import type { ImageInputs, ImageOutputs } from "../../../rules/image";

export interface ImageProps extends ImageInputs {
  /** The resource's name and four digits, for lines and files. */
  label: string;
}

export type ImageState = ImageProps & ImageOutputs;

/** The resource's name, for lines. */
export function nameIn(label: unknown): string {
  return String(label).replace(/-[0-9a-f]{4}$/, "");
}
