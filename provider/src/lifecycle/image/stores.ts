import { describeThrown } from "../../describe-thrown";
import { oncePer } from "../../once";
import { isBucket } from "../../rules/storage";
import type { PictureStore } from "../../service/images/picture-store";
import type { Operation } from "../operation";

/** The places of saved pictures, by the input `saveTo`. */
export class PictureStores {
  private readonly opened: (saveTo: string) => PictureStore;
  private readonly askBucket = oncePer((bucket: string) => this.opened(bucket).assertUsable(0));
  /** By folder or bucket: how many bytes this operation saves there at most. */
  private readonly bytesTo = new Map<string, number>();

  constructor({ settings, openPictures }: Pick<Operation, "settings" | "openPictures">) {
    const options = { ...settings, programFolder: process.cwd() };
    // Once per place: a client of S3 keeps its connections open.
    this.opened = oncePer((saveTo: string) => openPictures(saveTo, options));
  }

  at(saveTo: string | undefined): PictureStore | undefined {
    return saveTo === undefined ? undefined : this.opened(saveTo);
  }

  /** Why the place can't save `bytes` in addition to the bytes of earlier calls. Undefined if it can. */
  async problemWith(saveTo: string, bytes: number): Promise<string | undefined> {
    const ofPlace = (this.bytesTo.get(saveTo) ?? 0) + bytes;
    this.bytesTo.set(saveTo, ofPlace);
    const asked = isBucket(saveTo) ? this.askBucket(saveTo) : this.opened(saveTo).assertUsable(ofPlace);
    return asked.then(
      () => undefined,
      (error: unknown) => describeThrown(error).message,
    );
  }
}
