import { replacingValues } from "../../../rules/inputs";
import { imageInputs } from "../../../rules/image-inputs";
import type { Service } from "../../../service/connect";
import { LocalNotes, noteKey } from "../../../service/local-notes";
import type { ImageProps } from "./state";

/**
 * Remembers the ids of submitted tasks on this machine. The service lists no tasks, so a task whose id is lost cannot
 * be found again. The engine saves an id when `create` ends, so a run that is killed saves nothing. The note is
 * written as soon as the id is known. The service forgets tasks after a day, as the notes do. If the next run is on
 * another machine, the task is paid for again.
 */
export class ImageTasks {
  private readonly notes = new LocalNotes("image-tasks");

  constructor(private readonly service: Pick<Service, "imageFingerprint" | "clock">) {}

  remember(image: ImageProps, taskId: string): void {
    this.notes.remember(this.keyOf(image), taskId);
  }

  /** The task that an earlier run on this machine submitted for this resource. */
  recall(image: ImageProps): string | undefined {
    return this.notes.recall(this.keyOf(image), this.service.clock.now());
  }

  forget(image: ImageProps): void {
    try {
      this.notes.forget(this.keyOf(image));
    } catch {
      // The key needs the account's fingerprint, and a destroy of images works without a key and an address.
    }
  }

  /** Everything that the task is made from, and the account and the resource. */
  private keyOf(image: ImageProps): string {
    return noteKey(this.service.imageFingerprint(), image.label, ...replacingValues(imageInputs, image));
  }
}
