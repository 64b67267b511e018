import * as pulumi from "@pulumi/pulumi";
import { durationSeconds, type ImageInputs, type ImageModel, type ImageOutput } from "../../rules/image";
import { labelOf } from "./identity";
import { checkSecretKey } from "./settings";
import { refuseImport } from "./refuse-import";
import { secretMark } from "./secret-mark";
import { portablePath } from "./portable-path";
import { withoutTraces } from "./without-traces";
import { providerText, requireResolvable } from "../shared/provider-text";

type Optional<K extends keyof ImageInputs> = pulumi.Input<NonNullable<ImageInputs[K]>>;

/** Arguments of {@link GeneratedImage}. Changing a field marked *replaces* submits, and pays for, a new task. */
export interface GeneratedImageArgs {
  /** One of {@link ImageModel}; others use an interface that is not asynchronous. *Replaces.* Contract 4.5. */
  model: pulumi.Input<ImageInputs["model"]>;
  /** What the image shows. The service is seen to cut it after 800 characters. *Replaces.* Contract 4.5. */
  prompt: pulumi.Input<ImageInputs["prompt"]>;
  /** What to avoid; may be empty. The service is seen to cut it after 500 characters. *Replaces.* Contract 4.5. */
  negativePrompt?: Optional<"negativePrompt">;
  /** Width and height in pixels, joined by `*`: `1328*1328`. Left out: the service's default. *Replaces.* Contract 4.5. */
  size?: Optional<"size">;
  /** How many images, from 1. *Replaces.* Contract 4.5. */
  n?: Optional<"n">;
  /** Whether the service may extend the prompt. *Replaces.* Contract 4.5. */
  promptExtend?: Optional<"promptExtend">;
  /** Whether the service marks the image as its own. *Replaces.* Contract 4.5. */
  watermark?: Optional<"watermark">;
  /** Values whose change pays for the image anew. *Replaces.* */
  triggers?: pulumi.Input<pulumi.Input<NonNullable<ImageInputs["triggers"]>[number]>[]>;
  /**
   * A folder to save the images in, relative to the folder the program runs in. Another folder saves them again, at no cost. Files
   * are written whole or not at all, and never deleted. A file missing on this machine is fetched again while its address lives.
   */
  saveTo?: Optional<"saveTo">;
  /** How long one run waits for the task; the next one goes on. Default: 900, or `customTimeouts.create`. */
  timeoutSeconds?: Optional<"timeoutSeconds">;
}

/**
 * Images made from a prompt by an asynchronous task (contract 2.2): submitted once, waited for, and fetched, since the service
 * keeps them for a day only.
 *
 * ```ts
 * const cover = new GeneratedImage("cover", { model: "svc-image-plus", prompt: "A lighthouse at dusk", saveTo: "covers" });
 * export const file = cover.images[0].file;
 * ```
 */
export class GeneratedImage extends pulumi.CustomResource {
  /** @internal */
  static readonly __pulumiType = "pulumi-nodejs:dynamic/cloudvoice:GeneratedImage";

  declare readonly model: pulumi.Output<ImageModel>;
  declare readonly prompt: pulumi.Output<string>;
  declare readonly negativePrompt: pulumi.Output<string | undefined>;
  declare readonly size: pulumi.Output<string | undefined>;
  declare readonly n: pulumi.Output<number | undefined>;
  declare readonly promptExtend: pulumi.Output<boolean | undefined>;
  declare readonly watermark: pulumi.Output<boolean | undefined>;
  declare readonly triggers: pulumi.Output<(string | number | boolean)[] | undefined>;
  declare readonly saveTo: pulumi.Output<string | undefined>;
  declare readonly timeoutSeconds: pulumi.Output<number | undefined>;
  /** The service's id of the task; the same as `id`. */
  declare readonly taskId: pulumi.Output<string>;
  /** `SUCCEEDED`, once the images are there. */
  declare readonly taskStatus: pulumi.Output<string>;
  /** What came; an image that failed carries its `error` in place of the rest. Secret when a prompt is. */
  declare readonly images: pulumi.Output<ImageOutput[]>;
  /** The service's id of the request that submitted the task. */
  declare readonly requestId: pulumi.Output<string | undefined>;

  /** True for an image of this package, whichever copy of the package made it. */
  static override isInstance(value: unknown): value is GeneratedImage {
    return (
      pulumi.CustomResource.isInstance(value) &&
      (value as { __pulumiType?: string }).__pulumiType === GeneratedImage.__pulumiType
    );
  }

  constructor(name: string, args: GeneratedImageArgs, opts?: pulumi.CustomResourceOptions) {
    checkSecretKey();
    requireResolvable();
    refuseImport(name, opts, () => "the service lists no tasks, so an image has to be made");
    const { model, prompt, negativePrompt, size, n, promptExtend, watermark, triggers, saveTo } = args;
    const patience = opts?.customTimeouts?.create;
    const timeoutSeconds = args.timeoutSeconds ?? (patience === undefined ? undefined : durationSeconds(patience));
    const inputs = {
      model,
      prompt,
      negativePrompt,
      size,
      n,
      promptExtend,
      watermark,
      triggers,
      saveTo: portablePath(saveTo),
      timeoutSeconds,
    };
    const outputs = {
      taskId: undefined,
      taskStatus: undefined,
      requestId: undefined,
      images: secretMark(prompt, negativePrompt),
    };
    const hidden = {
      label: labelOf(GeneratedImage.__pulumiType, name, opts?.parent),
      __provider: providerText("generatedImage"),
    };
    const restoreTraces = withoutTraces();
    try {
      super(GeneratedImage.__pulumiType, name, { ...outputs, ...inputs, ...hidden }, opts);
    } finally {
      restoreTraces();
    }
  }
}
