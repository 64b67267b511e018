import { basename } from "node:path";
import { describeThrown } from "../../describe-thrown";
import { InputError } from "../../errors";
import { type ImageOutputs, isExpired } from "../../rules/image";
import { isRecord } from "../../rules/is-record";
import { imageCost, priceOf } from "../../rules/price";
import type { Settings } from "../../rules/settings";
import { signature, withPlaintexts } from "../../rules/unknown";
import { pictureStore } from "../../service/images/picture-store";
import { imagesIn } from "../stack";
import { shownName } from "./change";

/** A picture in the state whose file or object is missing or changed. */
export interface PictureDrift {
  name: string;
  urn: string;
  /** The address of the picture's file. If the image's outputs are secret, only the file's name. */
  file: string;
  found: "missing" | "changed";
  /** The last time at which a refresh can still download the picture at no cost. */
  fetchableUntil?: string;
  /** The price of a new picture. Undefined if it is not known. */
  price?: number;
}

/** Looks for each picture of the state, at no cost. Throws if a folder or bucket can't be read. */
export async function pictureDrift(
  stack: string,
  settings: Settings,
  programFolder: string,
  nowMs: number,
): Promise<PictureDrift[]> {
  const inClear = await imagesIn(stack);
  const saved = inClear.some(isSecret) ? await imagesIn(stack, ["--show-secrets"]) : inClear;
  const current = saved.filter((each) => !each.delete);
  const imageDrifts = current.map(async (entry): Promise<PictureDrift[]> => {
    const outputs = withPlaintexts(entry.outputs) as ImageOutputs;
    const { saveTo, images, expiresAt } = outputs;
    if (saveTo === undefined) return [];
    const store = pictureStore(saveTo, { ...settings, programFolder });
    const name = shownName(entry.urn);
    const price = priceOf("image", { ...outputs }, settings);
    const drifted = images.map(async (image): Promise<PictureDrift[]> => {
      const { file } = image;
      if (file === undefined) return [];
      const found = await store.look(file, image).catch((error: unknown) => {
        const reason = describeThrown(error).message;
        throw new InputError(`The drift is not known, because a picture of ${name} could not be checked: ${reason}.`);
      });
      if (found === "whole") return [];
      const canBeFetched = expiresAt !== undefined && !isExpired({ expiresAt }, nowMs);
      return [
        {
          ...{ name, urn: entry.urn, file: isSecret(entry) ? basename(file) : file },
          found: found === "missing" ? "missing" : "changed",
          ...(canBeFetched && { fetchableUntil: expiresAt }),
          ...(price !== undefined && { price }),
        },
      ];
    });
    return (await Promise.all(drifted)).flat();
  });
  return (await Promise.all(imageDrifts)).flat().sort((a, b) => (a.urn < b.urn ? -1 : 1));
}

export function pictureText({ file, found, fetchableUntil, price }: PictureDrift, currency: string): string {
  const what = `${file} is ${found === "missing" ? "missing" : "changed, and is left as it is"}`;
  const aside = found === "missing" ? "" : "move the file away, and ";
  if (fetchableUntil !== undefined)
    return `${what}; ${aside}\`pulumi refresh\` fetches it again, free, until ${fetchableUntil}`;
  return `${what}; a change of triggers makes another one, ${imageCost(price, currency)}`;
}

function isSecret({ outputs }: { outputs: Record<string, unknown> }): boolean {
  return [outputs.images, outputs.saveTo].some((value) => isRecord(value) && signature in value);
}
