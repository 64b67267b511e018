import { basename } from "node:path";
import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, InputError, NotFoundError, RejectedError, ServiceError } from "../../errors";
import {
  hasComeDamaged,
  imageFileName,
  type ImageOutput,
  type ImageOutputs,
  isExpired,
  isImageFileName,
  lastChanceMs,
  needsDownload,
  timeoutMsOf,
} from "../../rules/image";
import { extensionOf } from "../../rules/file-formats";
import { isPipeline } from "../../rules/addresses";
import { isBucket, isSamePlace } from "../../rules/storage";
import type { Task } from "../../service/images/client";
import { describePicture, download, type Downloaded, maxImageBytes } from "../../service/images/download";
import { pixelsOf } from "../../service/images/picture";
import { sha256Of } from "../../files";
import type { PictureStore } from "../../service/images/picture-store";
import { mayBeSecret, type Resource } from "../lifecycle";
import type { Reading } from "../operation";

/** The largest total size of the images of a task: a hostile service can't make the provider save more. */
const mostTaskBytes = 4 * maxImageBytes;
const tooManyBytes = `the images of the task have more than ${mostTaskBytes / 1024 / 1024} MB`;

/**
 * Downloads the images of one resource and saves them where `saveTo` names. The methods change `state.images` in place,
 * so that images that were saved before a failure stay in the state.
 */
export class ImageFiles {
  constructor(
    private readonly operation: Reading,
    private readonly resource: Pick<Resource, "name" | "timeoutSeconds" | "secrets" | "identity">,
  ) {}

  /** The pictures whose bytes are in the service's response, by the index of the image. */
  private contents: Map<number, Buffer> | undefined;

  /** Uses this response, so that the task is not looked up again. */
  with(task: Pick<Task, "results">): this {
    this.contents = contentsOf(task);
    return this;
  }

  private async contentOf({ taskId }: ImageOutputs, index: number): Promise<Buffer> {
    this.contents ??= contentsOf(
      await this.operation.service.images.poll(taskId, { secret: mayBeSecret(this.resource) }),
    );
    const content = this.contents.get(index);
    if (content === undefined) throw new NotFoundError("the service's response does not have the image any more");
    return content;
  }

  /**
   * Downloads the missing images, until `untilMs`. Gives up an image only when its URL has expired. Tries all images,
   * and then throws the first failure.
   */
  async download(state: ImageOutputs, untilMs: number): Promise<void> {
    const failures: Error[] = [];
    for (const [index, image] of state.images.entries()) {
      if (!needsDownload(image)) continue;
      if (state.images.reduce((sum, { bytes = 0 }) => sum + bytes, 0) >= mostTaskBytes) {
        state.images[index] = { ...image, error: tooManyBytes };
        this.warn(`image ${index + 1} is not downloaded: ${tooManyBytes}`);
        continue;
      }
      await this.downloadOrGiveUp(state, index, untilMs).catch((error: unknown) => failures.push(error as Error));
    }
    const [failure] = failures;
    if (failure === undefined) return;
    // Without `saveTo`, the URLs are the result, so a failed download causes only a warning. An error of another kind,
    // e.g. a cancel, is not a failed download.
    const isWarning = state.saveTo === undefined && CloudVoiceError.is(failure);
    if (!isWarning) throw failure;
    const { expiresAt } = state;
    const isOver = failure instanceof NotFoundError || isExpired(state, this.operation.service.clock.now());
    const works = isOver || expiresAt === undefined ? "" : `. Its URL stays an output, and works until ${expiresAt}`;
    this.warn(`the image can't be downloaded: ${failure.reason}${works}`);
  }

  /** A picture that came in the response itself has no URL, so it is lost without `saveTo`. */
  warnOfInline({ images, saveTo }: ImageOutputs): void {
    if (saveTo !== undefined || !images.some(({ url, error }) => url === undefined && error === undefined)) return;
    this.warn(
      "the picture came in the response itself and has no URL. Set saveTo within a day to keep it: the next update " +
        "saves it at no cost",
    );
  }

  /**
   * Saves the images in another folder or bucket. Uses a file that the new place already has. Otherwise copies the
   * image from its old place, or downloads it while its URL works. If all of that fails, throws if the old place could
   * not be read, and otherwise only warns.
   */
  async saveElsewhere(state: ImageOutputs, previousSaveTo: string | undefined, untilMs: number): Promise<void> {
    const [from, to] = [this.operation.pictures.at(previousSaveTo), this.operation.pictures.at(state.saveTo)];
    for (const [index, image] of state.images.entries()) {
      const file = from && this.savedAt(from, index, image);
      const { file: _former, ...rest } = image;
      state.images[index] = rest;
      if (to === undefined || image.sha256 === undefined) continue;
      if (await this.takeWhatLiesThere(state, index, to, { evenChanged: true })) continue;
      // If the image can't be read from the old place, download it.
      const failures: unknown[] = [];
      const content =
        file === undefined ? undefined : await from?.read(file).catch((error: unknown) => void failures.push(error));
      if (content instanceof Buffer && sha256Of(content) === image.sha256) {
        state.images[index] = await this.saved(state, index, rest, content);
        continue;
      }
      await this.downloadOrGiveUp(state, index, untilMs);
      // The old place may be the only one that has the image, so the state must keep it.
      if (failures.length > 0 && state.images[index].file === undefined) throw failures[0];
    }
    await this.download(state, untilMs);
  }

  /**
   * The address to which {@link saveElsewhere} will save a picture. Undefined if the old place does not have the whole
   * picture, because then it is not certain that the picture can be saved.
   */
  async addressElsewhere({ saveTo, images }: ImageOutputs, index: number, next: string): Promise<string | undefined> {
    const [from, to, image] = [this.operation.pictures.at(saveTo), this.operation.pictures.at(next), images[index]];
    if (from === undefined || to === undefined || image?.sha256 === undefined) return undefined;
    const file = this.savedAt(from, index, image);
    const condition = file && (await from.look(file, image).catch(() => undefined));
    return condition === "whole" ? this.addressIn(to, index, image) : undefined;
  }

  /**
   * Saves missing images again while their URLs work. After that only warns, because another machine may have the
   * files, or the access to the bucket, that this machine lacks. Never overwrites a changed file. While a plan is
   * written, it only looks.
   */
  async restore(state: ImageOutputs): Promise<void> {
    const store = this.operation.pictures.at(state.saveTo);
    if (store === undefined) return;
    const missing: string[] = [];
    let why: string | undefined;
    for (const [index, image] of state.images.entries()) {
      const file = this.savedAt(store, index, image);
      if (file === undefined) {
        await this.takeWhatLiesThere(state, index, store);
        continue;
      }
      // Show only the file name, because the folder or the bucket may be secret.
      const name = basename(file);
      const condition = await store.look(file, image).catch(describeThrown);
      if (typeof condition === "object") {
        this.warn(`${name} was not checked. ${condition.message}`);
        return;
      }
      if (condition === "whole") continue;
      if (condition === "different") {
        this.warnOfChange(store, file);
        continue;
      }
      if (this.operation.plan.isOn) {
        // A runner lacks the files of earlier runs, so a file missing from its folder proves nothing to a review.
        const isOfRunner = isPipeline(process.env) && !isBucket(state.saveTo ?? "");
        if (!isOfRunner) this.operation.plan.write(this.resource, { gone: name });
        continue;
      }
      const reason = await this.restoreOne(state, index, store, file);
      if (reason === undefined)
        this.operation.log.line(`${this.resource.name}: ${name} was missing and is saved again`);
      else missing.push(name);
      why ??= reason;
    }
    const [first, ...others] = missing;
    if (first !== undefined) {
      const problem =
        others.length === 0
          ? `${first} is not ${store.place}, and ${why ?? ""}`
          : `${missing.join(", ")} are not ${store.place}. About ${first}: ${why ?? ""}`;
      this.warn(`${problem}. Nothing is changed. To generate the images again, which is billed, change triggers`);
    }
  }

  /**
   * Uses the saved file of an image that was downloaded before. With `evenChanged`, also uses a file that somebody has
   * changed. Returns whether a file was used.
   */
  private async takeWhatLiesThere(
    state: ImageOutputs,
    index: number,
    store: PictureStore,
    { evenChanged = false } = {},
  ): Promise<boolean> {
    const image = state.images[index];
    if (image?.sha256 === undefined) return false;
    const file = this.addressIn(store, index, image);
    const content = await store.read(file).catch(() => undefined);
    const isWhole = content !== undefined && sha256Of(content) === image.sha256;
    if (!isWhole && !(evenChanged && content?.length)) return false;
    if (!isWhole) this.warnOfChange(store, file);
    state.images[index] = { ...image, file };
    return true;
  }

  /** Returns the reason if the image can't be saved again. */
  private async restoreOne(
    state: ImageOutputs,
    index: number,
    store: PictureStore,
    file: string,
  ): Promise<string | undefined> {
    const nowMs = this.operation.service.clock.now();
    if (isExpired(state, nowMs)) return "its URL has expired";
    try {
      const untilMs = nowMs + timeoutMsOf({ ...this.resource, ...state });
      const { content, contentType, sha256 } = await this.come(state, index, untilMs);
      if (sha256 !== state.images[index]?.sha256) return "its URL gives another image now";
      await store.save(file, content, contentType);
      return undefined;
    } catch (error) {
      if (error instanceof NotFoundError) return "its URL has expired";
      return `it can't be saved again (${describeThrown(error).message})`;
    }
  }

  private async come(state: ImageOutputs, index: number, untilMs: number) {
    const { url } = state.images[index] ?? {};
    const { service } = this.operation;
    return url === undefined ? describePicture(await this.contentOf(state, index)) : download(service, url, untilMs);
  }

  private async downloadOrGiveUp(state: ImageOutputs, index: number, untilMs: number): Promise<void> {
    const image = state.images[index];
    if (image === undefined || (image.url === undefined && image.error !== undefined)) return;
    try {
      const come = await this.come(state, index, untilMs);
      const { content, damage, seemsToBe: _, unencrypted: _unencrypted, ...facts } = come;
      if (damage !== undefined) this.checkDamage(state, index, damage, facts.bytes);
      const entry = { ...image, ...facts, ...(damage !== undefined && { error: damagedBefore(damage) }) };
      state.images[index] = await this.saved(state, index, entry, content);
      // The picture is saved first, because `pixelsOf` parses untrusted bytes.
      if (come.seemsToBe === undefined) Object.assign(state.images[index], pixelsOf(content));
      this.warnOfContent(state.images[index], index, come);
    } catch (error) {
      const isDead = error instanceof NotFoundError;
      if (!isDead && !(error instanceof RejectedError)) throw error;
      // A proxy or the store may have refused a URL that works again later.
      if (!isExpired(state, this.operation.service.clock.now()))
        throw error.amend({ advice: "The next update tries again, at no cost, until the URL has expired." });
      const { message } = error;
      if (image.sha256 === undefined) state.images[index] = { ...image, error: message };
      const store = image.sha256 === undefined ? undefined : this.operation.pictures.at(state.saveTo);
      const advice =
        store &&
        ` If you have the image, put it into saveTo as ${basename(this.addressIn(store, index, image))}, and refresh`;
      this.warn(`image ${index + 1} can't be downloaded: ${message}${advice ?? ""}`);
    }
  }

  /**
   * Throws if the next run may get the image undamaged. A damaged image is kept if the image has arrived damaged twice,
   * or if it can't be downloaded again.
   */
  private checkDamage(state: ImageOutputs, index: number, damage: string, bytes: number): void {
    const image = state.images[index];
    const isLast = isExpired(state, this.operation.service.clock.now() + lastChanceMs);
    const isKnown = image?.sha256 !== undefined;
    if (!isKnown && (isLast || (image !== undefined && hasComeDamaged(image)))) return;
    if (!isKnown) state.images[index] = { ...image, bytes };
    throw new ServiceError(`downloading the image failed: ${damagedBefore(damage)}`, {
      advice: isKnown ? "" : "The next update tries again, at no cost, and then keeps the image even if it is damaged.",
    });
  }

  private warnOfContent({ file }: ImageOutput, index: number, { damage, seemsToBe, unencrypted }: Downloaded): void {
    const where = file === undefined ? "" : `. It is saved unchanged, as ${basename(file)}`;
    const about = `image ${index + 1}`;
    if (unencrypted)
      this.warn(
        `${about} was downloaded by http although the service has https. Check that it is the picture you expect`,
      );
    if (damage !== undefined) this.warn(`${about} is cut short or damaged: ${damage}${where}`);
    else if (seemsToBe !== undefined)
      this.warn(`${about} has an unexpected format: it seems to be ${seemsToBe}${where}`);
  }

  /** Saves the content, if `saveTo` is set. Returns the image for the state. */
  private async saved(state: ImageOutputs, index: number, image: ImageOutput, content: Buffer): Promise<ImageOutput> {
    const store = this.operation.pictures.at(state.saveTo);
    if (store === undefined) return image;
    const file = this.addressIn(store, index, image);
    if (!(await store.save(file, content, image.contentType ?? "application/octet-stream")))
      this.warnOfChange(store, file);
    return { ...image, file };
  }

  private warnOfChange(store: PictureStore, file: string): void {
    this.warn(
      `${basename(file)} was changed ${store.place}: it is not the image that was generated. ` +
        "The file stays as it is. To get the generated image again, move the file away and run a refresh while the " +
        "image's URL works",
    );
  }

  /**
   * The address of the saved image, which the state names. Throws for an address that this package would not generate,
   * because a person who can edit a state must not choose which files are read and written.
   */
  private savedAt(store: PictureStore, index: number, image: ImageOutput): string | undefined {
    const { file, sha256 = "" } = image;
    if (file === undefined) return undefined;
    const name = basename(file);
    const address = store.addressOf(name);
    // The program may write the same folder in another way now, e.g. `./covers` for `covers`.
    if (isSamePlace(file, address) && isImageFileName(name, index, sha256, fullExtensionOf(image))) return address;
    throw new InputError(`for image ${index + 1}, the state names a file that this package would not write`, {
      advice: "Somebody may have changed the state. Nothing was read or written. Restore the state from a backup.",
    });
  }

  private warn(line: string): void {
    this.operation.log.warn(`${this.resource.name}: ${line}`);
  }

  private addressIn(store: PictureStore, index: number, image: ImageOutput): string {
    return store.addressOf(imageFileName(this.resource.name, index, image.sha256 ?? "", fullExtensionOf(image)));
  }
}

/** The pictures whose bytes are in the response itself, by the index of the image. */
function contentsOf({ results }: Pick<Task, "results">): Map<number, Buffer> {
  return new Map(
    results.flatMap((result, index) =>
      "content" in result ? [[index, Buffer.from(result.content, "base64")] as const] : [],
    ),
  );
}

/** An image with a hash and an error is damaged. */
const fullExtensionOf = ({ contentType, error }: ImageOutput) =>
  `${error === undefined ? "" : "damaged."}${extensionOf(contentType)}`;

const damagedBefore = (damage: string) => `the image is cut short or damaged: ${damage}`;
