import type { ImageOutputs } from "../../../rules/image";
import type { ImageInputs } from "../../../rules/image-inputs";

export interface ImageProps extends ImageInputs {
  /** The resource's name and four digits, for log lines and file names. */
  label: string;
}

export type ImageState = ImageProps & ImageOutputs;

/** The resource's name, for log lines. */
export function nameIn(label: unknown): string {
  return String(label).replace(/-[0-9a-f]{4}$/, "");
}
