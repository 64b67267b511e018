import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { imageFileName, type ImageOutput, isUnfetched } from "../../../rules/image";
import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError, InputError, NotFoundError, RejectedError } from "../../../errors";
import {
  copyToTemporaryFile,
  download,
  extensionOf,
  isDownloadable,
  moveIntoPlace,
} from "../../../service/images/download";
import { type ImageState, nameIn } from "./state";
import { providerProcess } from "../operation";
import { log } from "../log";

/** Fetches what is not there yet. A failure is thrown, and what came before it stays in `state`. */
export function fetchImages(state: ImageState): Promise<void> {
  return eachThatLacks(state, fetchImage);
}

/** The same in a later run: what can't be had any more carries its error from then on. */
export function fetchWhatIsLeft(state: ImageState): Promise<void> {
  return eachThatLacks(state, fetchOrGiveUp);
}

async function eachThatLacks(
  state: ImageState,
  fetch: (state: ImageState, index: number) => Promise<void>,
): Promise<void> {
  for (const [index, image] of state.images.entries())
    if (isUnfetched(image) || isMissing(image)) await fetch(state, index);
}

/** For another folder: from the file saved before, else from the address while it lives, else one warning. */
export async function saveAgain(state: ImageState): Promise<void> {
  for (const [index, image] of state.images.entries()) {
    const { file, ...rest } = image;
    state.images[index] = rest;
    if (state.saveTo === undefined || image.sha256 === undefined) continue;
    const target = fileOf(state, index, extensionOf(image.contentType));
    const temporaryFile =
      file === undefined
        ? undefined
        : await writing(state, () => copyToTemporaryFile(resolve(file), image.sha256 ?? "", resolve(target)));
    if (temporaryFile === undefined) await fetchOrGiveUp(state, index);
    else {
      await moveIntoPlace(temporaryFile, resolve(target));
      state.images[index] = { ...rest, file: target };
    }
  }
  await fetchWhatIsLeft(state);
}

/** Pipelines run on fresh machines: a missing file is fetched again while its address lives, and is no difference after that. */
export async function canFetchAgain(state: ImageState): Promise<boolean> {
  const missing = state.images.filter(isMissing);
  for (const { url } of missing)
    if (url !== undefined && (await isDownloadable(providerProcess().service, url))) return true;
  if (missing.length > 0) {
    log(
      `warning: ${nameIn(state.label)}: ${missing.map((image) => image.file).join(", ")} is not on this machine, and its address is dead. ` +
        "Nothing is done about it; to pay for it again, change triggers",
    );
  }
  return false;
}

async function fetchOrGiveUp(state: ImageState, index: number): Promise<void> {
  try {
    await fetchImage(state, index);
  } catch (error) {
    const image = state.images[index];
    // Of an image that was never had, only a dead address is the end: anything else may be a gateway that speaks in its place.
    const isOver = error instanceof NotFoundError || (error instanceof RejectedError && image?.sha256 !== undefined);
    if (image === undefined || !isOver) throw error;
    const { message } = describeThrown(error);
    if (image.sha256 === undefined) state.images[index] = { ...image, error: message };
    log(`warning: ${nameIn(state.label)}: image ${index + 1} can't be fetched: ${message}`);
  }
}

async function fetchImage(state: ImageState, index: number): Promise<void> {
  const image = state.images[index];
  if (image?.url === undefined) return;
  const { url } = image;
  const { http, clock, maxRetries } = providerProcess().service;
  state.images[index] = await writing(state, async () => {
    const { temporaryFile, ...facts } = await download(
      { http, clock, maxRetries },
      url,
      state.saveTo === undefined ? undefined : resolve(state.saveTo),
    );
    if (temporaryFile === undefined) return { ...image, ...facts };
    const file = fileOf(state, index, extensionOf(facts.contentType));
    await moveIntoPlace(temporaryFile, resolve(file));
    return { ...image, ...facts, file };
  });
}

/** Relative to the program's folder, and with slashes on every machine: it stands in the state. */
function fileOf({ saveTo = "", label }: ImageState, index: number, extension: string): string {
  return `${saveTo.replace(/\/+$/, "")}/${imageFileName(label, index, extension)}`;
}

/** Told without the system's own text, which holds absolute paths and would stand in the state. */
async function writing<T>({ saveTo }: ImageState, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code } = describeThrown(error);
    if (CloudVoiceError.is(error) || !/^E[A-Z]+$/.test(code)) throw error;
    throw new InputError(`saveTo ${JSON.stringify(saveTo)}: files can't be written there (${code})`);
  }
}

function isMissing(image: ImageOutput): boolean {
  return image.file !== undefined && !existsSync(resolve(image.file));
}
