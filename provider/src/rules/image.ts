import { booleanFault, type Fields, isBlank, quoted, textFault, type Trigger, triggersField } from "./fields";
import { isOneOf } from "./settings";

/** Contract 1 and 4.5: the only models of the asynchronous endpoint. */
export const imageModels = ["svc-image-plus", "svc-image"] as const;
export type ImageModel = (typeof imageModels)[number];

/** What the program declares of an image, as it stands in the state. */
export interface ImageInputs {
  model: ImageModel;
  prompt: string;
  negativePrompt?: string;
  size?: string;
  n?: number;
  promptExtend?: boolean;
  watermark?: boolean;
  triggers?: Trigger[];
  saveTo?: string;
  timeoutSeconds?: number;
}

/** One of a task's images: what came of it, or why it did not come. */
export interface ImageOutput {
  /** Where the service keeps it: a signed address, dead after a day. Absent for an image that failed. */
  url?: string | undefined;
  sha256?: string | undefined;
  contentType?: string | undefined;
  /** Pixels. */
  width?: number | undefined;
  height?: number | undefined;
  bytes?: number | undefined;
  /** The saved file, relative to the program's folder. */
  file?: string | undefined;
  /** The prompt as the service extended it. */
  actualPrompt?: string | undefined;
  error?: string | undefined;
}

export interface ImageOutputs extends ImageInputs {
  taskId: string;
  taskStatus: string;
  images: ImageOutput[];
  requestId?: string | undefined;
}

export const defaultTimeoutSeconds = 900;

export const imageFields: Fields<ImageInputs> = {
  model: {
    change: "replaces",
    required: true,
    fault: (value) =>
      isOneOf(imageModels, value)
        ? undefined
        : `is ${quoted(value)}; the asynchronous interface accepts ${imageModels.join(" and ")} only`,
  },
  prompt: {
    change: "replaces",
    required: true,
    hidden: true,
    fault: (value) => (isBlank(value) ? "must not be empty" : textFault(value)),
  },
  negativePrompt: { change: "replaces", hidden: true, fault: textFault },
  size: { change: "replaces", fault: sizeFault },
  n: {
    change: "replaces",
    fault: (value) =>
      Number.isInteger(value) && Number(value) >= 1
        ? undefined
        : `is ${quoted(value)}; it must be a whole number from 1`,
  },
  promptExtend: { change: "replaces", fault: booleanFault },
  watermark: { change: "replaces", fault: booleanFault },
  triggers: triggersField,
  saveTo: {
    change: "updates",
    fault: (value) => (typeof value === "string" && value !== "" ? undefined : "must be a folder's path"),
  },
  timeoutSeconds: {
    change: "updates",
    fault: (value) =>
      typeof value === "number" && value > 0 ? undefined : `is ${quoted(value)}; it must be a number of seconds over 0`,
  },
};

function sizeFault(size: unknown): string | undefined {
  if (typeof size === "string" && /^[1-9]\d*\*[1-9]\d*$/.test(size)) return undefined;
  const crossed = typeof size === "string" ? /^\s*(\d+)\s*[x×X*]\s*(\d+)\s*$/.exec(size) : null;
  return `is ${quoted(size)}; it must be width and height joined by *, ${crossed ? `"${crossed[1]}*${crossed[2]}"` : 'as in "1328*1328"'}`;
}

/** Bounds that the service is seen to keep without promising them: worth a word, not a refusal. */
export function imageWarnings({
  prompt,
  negativePrompt,
  size,
  n,
}: { readonly [K in keyof ImageInputs]?: unknown }): string[] {
  const usual = ["1664*928", "1472*1104", "1328*1328", "1104*1472", "928*1664"];
  const warnings: string[] = [];
  if (typeof prompt === "string" && prompt.length > 800)
    warnings.push(`the prompt has ${prompt.length} characters; the service is seen to cut it after 800`);
  if (typeof negativePrompt === "string" && negativePrompt.length > 500) {
    warnings.push(
      `the negative prompt has ${negativePrompt.length} characters; the service is seen to cut it after 500`,
    );
  }
  if (typeof size === "string" && !usual.includes(size))
    warnings.push(`the size ${size} is not among those that the service is seen to make: ${usual.join(", ")}`);
  if (typeof n === "number" && n > 1) warnings.push(`n is ${n}; the service is seen to make one image a task`);
  return warnings;
}

export type TaskProgress = "waiting" | "succeeded" | "ended" | "never heard of";

/** What a state of a task means. `UNKNOWN` is what the service says of a task that expired or never was. */
export function taskProgress(status: string): TaskProgress {
  switch (status.toUpperCase()) {
    case "PENDING":
    case "RUNNING":
    case "SUSPENDED":
      return "waiting";
    case "SUCCEEDED":
      return "succeeded";
    case "FAILED":
    case "CANCELED":
    case "UNKNOWN":
      return "ended";
    default:
      return "never heard of";
  }
}

/** An image that has yet to be fetched: it has an address, and neither its bytes' hash nor an error. */
export function isUnfetched(image: ImageOutput): boolean {
  return image.url !== undefined && image.sha256 === undefined && image.error === undefined;
}

/** A file name that is always the same for this image, and stays in its folder whatever the resource is called. */
export function imageFileName(label: string, index: number, extension: string): string {
  const plain = label.replace(/[^0-9A-Za-z_-]+/g, "_").slice(-80);
  return `${plain}-${index + 1}.${extension}`;
}

/** Seconds of a duration as Pulumi's `customTimeouts` writes it: `90s`, `5m`, `1h30m`. */
export function durationSeconds(duration: string): number | undefined {
  const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 };
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(duration)) return undefined;
  return [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * (units[unit ?? ""] ?? 0),
    0,
  );
}
