import { basename } from "node:path";
import * as z from "zod";
import { describeThrown } from "../../describe-thrown";
import { InputError } from "../../errors";
import { type ImageOutputs, isExpired } from "../../rules/image";
import { isRecord } from "../../rules/is-record";
import { moneyText, priceOf } from "../../rules/price";
import { resourceKind } from "../../rules/resource-types";
import type { Settings } from "../../rules/settings";
import { signature } from "../../rules/unknown";
import { pulumiJson } from "../../run-pulumi";
import { pictureStore } from "../../service/images/picture-store";
import { savedResource } from "../../stacks/state";
import { shownName } from "./change";

/** A picture in the state whose file or object is missing or changed. */
export interface PictureDrift {
  name: string;
  urn: string;
  /** The address of the file. For secret pictures only the file's name. */
  file: string;
  found: "missing" | "changed";
  /** The last time at which a refresh can still download the picture at no cost. */
  fetchableUntil?: string;
  /** The price of a new picture. Undefined if it is not known. */
  price?: number;
}

const state = z.object({ deployment: z.object({ resources: z.array(savedResource).nullish() }).nullish() });

/** Looks for the file or object of each picture in the stack's state, at no cost. Throws if a place can't be read. */
export async function pictureDrift(
  stack: string,
  settings: Settings,
  programFolder: string,
  nowMs: number,
): Promise<PictureDrift[]> {
  const read = async (...flags: string[]) => {
    const { deployment } = await pulumiJson(["stack", "export", "--stack", stack, ...flags], state);
    return (deployment?.resources ?? []).filter((each) => resourceKind(each.type) === "image" && !each.delete);
  };
  let saved = await read();
  if (saved.some(isSecret)) saved = await read("--show-secrets");
  const imageDrifts = saved.map(async (entry): Promise<PictureDrift[]> => {
    const outputs = plain(entry.outputs) as unknown as ImageOutputs;
    const { saveTo, images, expiresAt } = outputs;
    if (saveTo === undefined) return [];
    const store = pictureStore(saveTo, { ...settings, programFolder });
    const name = shownName(entry.urn);
    const price = priceOf("image", { ...outputs }, settings);
    const drifted = images.map(async (image): Promise<PictureDrift[]> => {
      const { file } = image;
      if (file === undefined) return [];
      const found = await store.look(file, image).catch((error: unknown) => {
        throw new InputError(`The drift is not known: ${name}: ${describeThrown(error).message}.`);
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
    return `${what}; ${aside}pulumi refresh fetches it again, free, until ${fetchableUntil}`;
  const cost =
    price === undefined ? "at a price that is not known (cloudvoice:imagePrice)" : `for ${moneyText(price, currency)}`;
  return `${what}; a change of triggers makes another one, ${cost}`;
}

function isSecret({ outputs }: z.infer<typeof savedResource>): boolean {
  return [outputs.images, outputs.saveTo].some((value) => isRecord(value) && signature in value);
}

/** The outputs without Pulumi's marks of secrets. */
function plain(outputs: Record<string, unknown>): Record<string, unknown> {
  const marked = (value: unknown): value is { plaintext: string } =>
    isRecord(value) && signature in value && typeof value.plaintext === "string";
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [
      name,
      marked(value) ? (JSON.parse(value.plaintext) as unknown) : value,
    ]),
  );
}
