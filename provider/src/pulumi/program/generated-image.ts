import * as pulumi from "@pulumi/pulumi";
import { durationSeconds, type ImageOutput } from "../../rules/image";
import type { Trigger } from "../../rules/inputs";
import { resourceTypes } from "../shared/resource-types";
import type { GeneratedImageArgs, ImageModel } from "./args";
import { portablePath } from "./portable-path";
import { beginRegistration, hasType } from "./register";
import { secretMark } from "./secret-mark";

/**
 * Images that an asynchronous task generates from a prompt. The task is submitted once. The images are downloaded
 * when it has ended, because the service keeps them for a day only.
 *
 * ```ts
 * const cover = new GeneratedImage("cover", {
 *   model: "svc-image-plus",
 *   prompt: "A lighthouse at dusk",
 *   saveTo: "covers",
 * });
 * export const file = cover.images[0].file;
 * ```
 */
export class GeneratedImage extends pulumi.CustomResource {
  /** @internal */
  static readonly __pulumiType = resourceTypes.generatedImage;

  declare readonly model: pulumi.Output<ImageModel>;
  declare readonly prompt: pulumi.Output<string>;
  declare readonly negativePrompt: pulumi.Output<string | undefined>;
  declare readonly size: pulumi.Output<string | undefined>;
  declare readonly n: pulumi.Output<number | undefined>;
  declare readonly promptExtend: pulumi.Output<boolean | undefined>;
  declare readonly watermark: pulumi.Output<boolean | undefined>;
  declare readonly triggers: pulumi.Output<Trigger[] | undefined>;
  declare readonly saveTo: pulumi.Output<string | undefined>;
  declare readonly timeoutSeconds: pulumi.Output<number | undefined>;
  declare readonly adoptTask: pulumi.Output<string | undefined>;
  /** The service's id of the task; the same as `id`. */
  declare readonly taskId: pulumi.Output<string>;
  /** The status of the task: `SUCCEEDED` once the images exist. */
  declare readonly taskStatus: pulumi.Output<string>;
  /**
   * The images: `url` (the service keeps it for a day), `sha256`, `contentType`, `width`, `height`, `bytes`, `file`,
   * `actualPrompt`. One that failed has an `error`, and the service's `code` if it gave one. Secret when a prompt is.
   */
  declare readonly images: pulumi.Output<ImageOutput[]>;
  /** The service's id of the request that submitted the task. */
  declare readonly requestId: pulumi.Output<string | undefined>;
  /** When the URLs of the images die at the latest, in ISO 8601. Save the images with `saveTo` to keep them longer. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;

  /** Whether a value is an image of this package, whichever copy of the package created it. */
  static override isInstance(value: unknown): value is GeneratedImage {
    return hasType(value, GeneratedImage.__pulumiType);
  }

  /**
   * @param name - Name of the resource, unique among the program's images under the same parent.
   * @param args - The inputs.
   * @param opts - The usual resource options. `import` does not work for a dynamic resource.
   */
  constructor(name: string, args: GeneratedImageArgs, opts?: pulumi.CustomResourceOptions) {
    const { model, prompt, negativePrompt, size, n, promptExtend, watermark, triggers, saveTo, adoptTask } = args;
    const createTimeout = opts?.customTimeouts?.create;
    const timeoutSeconds = args.timeoutSeconds ?? (createTimeout && durationSeconds(createTimeout));
    const inputs = {
      ...{ model, prompt, negativePrompt, size, n, promptExtend, watermark, triggers, timeoutSeconds, adoptTask },
      saveTo: portablePath(saveTo),
      images: secretMark(prompt, negativePrompt),
    };
    const { props, end } = beginRegistration({
      resource: "generatedImage",
      name,
      opts,
      args,
      outputs: ["taskId", "taskStatus", "requestId", "expiresAt"] satisfies (keyof GeneratedImage)[],
      inputs,
      insteadOfImport: () => "the service lists no tasks, so a new image has to be generated",
    });
    try {
      super(GeneratedImage.__pulumiType, name, props, opts);
    } finally {
      end();
    }
  }
}
