import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError, InputError, NotFoundError, RejectedError } from "../../../errors";
import { imageFileName, type ImageOutput, needsDownload } from "../../../rules/image";
import {
  copyToTemporaryFile,
  download,
  extensionOf,
  isDownloadable,
  moveIntoPlace,
} from "../../../service/images/download";
import type { Operation } from "../operation";
import { type ImageState, nameIn } from "./state";

/**
 * Downloads images and keeps their files. Each method changes `state.images` in place, so that a failure keeps what
 * was done.
 */
export class ImageFiles {
  constructor(private readonly operation: Pick<Operation, "service" | "log">) {}

  /** Downloads what is missing. The first failure is thrown. */
  async download(state: ImageState): Promise<void> {
    for (const index of missingImages(state)) await this.downloadOne(state, index);
  }

  /** The same in a later run: an image that can't be downloaded any more carries its error from then on. */
  async downloadRest(state: ImageState): Promise<void> {
    for (const index of missingImages(state)) await this.downloadOrGiveUp(state, index);
  }

  /**
   * Saves the images in another folder: from the file saved before, else from the URL while it works, else with one
   * warning.
   */
  async saveElsewhere(state: ImageState): Promise<void> {
    for (const [index, image] of state.images.entries()) {
      const { file, ...rest } = image;
      state.images[index] = rest;
      if (state.saveTo === undefined || image.sha256 === undefined) continue;
      const target = filePath(state, index, extensionOf(image.contentType));
      const temporaryFile =
        file === undefined
          ? undefined
          : await writing(() => copyToTemporaryFile(resolve(file), image.sha256 ?? "", resolve(target)));
      if (temporaryFile === undefined) await this.downloadOrGiveUp(state, index);
      else {
        await moveIntoPlace(temporaryFile, resolve(target));
        state.images[index] = { ...rest, file: target };
      }
    }
    await this.downloadRest(state);
  }

  /**
   * Whether a file that is missing on this machine can be downloaded again. Once its URL is dead, a missing file is
   * no difference: pipelines run on fresh machines.
   */
  async canDownloadAgain(state: ImageState): Promise<boolean> {
    const missing = state.images.filter(isFileMissing);
    for (const { url } of missing) {
      if (url !== undefined && (await isDownloadable(this.operation.service, url))) return true;
    }
    if (missing.length > 0) {
      const files = missing.map((image) => image.file).join(", ");
      this.operation.log.warn(
        `${nameIn(state.label)}: ${files} is not on this machine, and its URL has expired. ` +
          "Nothing is changed; to pay for it again, change triggers",
      );
    }
    return false;
  }

  private async downloadOrGiveUp(state: ImageState, index: number): Promise<void> {
    try {
      await this.downloadOne(state, index);
    } catch (error) {
      const image = state.images[index];
      // If the image was never downloaded, give up only on a dead URL: any other status may come from a proxy and may
      // pass.
      const isFinal = error instanceof NotFoundError || (error instanceof RejectedError && image?.sha256 !== undefined);
      if (image === undefined || !isFinal) throw error;
      const { message } = describeThrown(error);
      if (image.sha256 === undefined) state.images[index] = { ...image, error: message };
      this.operation.log.warn(`${nameIn(state.label)}: image ${index + 1} can't be downloaded: ${message}`);
    }
  }

  private async downloadOne(state: ImageState, index: number): Promise<void> {
    const image = state.images[index];
    if (image?.url === undefined) return;
    const { url } = image;
    const folder = state.saveTo === undefined ? undefined : resolve(state.saveTo);
    state.images[index] = await writing(async () => {
      const { temporaryFile, ...facts } = await download(this.operation.service, url, folder);
      if (temporaryFile === undefined) return { ...image, ...facts };
      const file = filePath(state, index, extensionOf(facts.contentType));
      await moveIntoPlace(temporaryFile, resolve(file));
      return { ...image, ...facts, file };
    });
  }
}

function missingImages({ images }: ImageState): number[] {
  return [...images.keys()].filter((index) => {
    const image = images[index];
    return image !== undefined && (needsDownload(image) || isFileMissing(image));
  });
}

function isFileMissing(image: ImageOutput): boolean {
  return image.file !== undefined && !existsSync(resolve(image.file));
}

/** Relative to the program's folder and with slashes on every machine, because it stands in the state. */
function filePath({ saveTo = "", label }: ImageState, index: number, extension: string): string {
  return `${saveTo.replace(/\/+$/, "")}/${imageFileName(label, index, extension)}`;
}

/**
 * Reports a file error without the path, which may be secret, and without the system's own text, which holds absolute
 * paths and would stand in the state.
 */
async function writing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = describeThrown(error);
    if (CloudVoiceError.is(error) || !/^E[A-Z]+$/.test(code)) throw error;
    throw new InputError(`saveTo: files can't be written there (${code})`);
  }
}
