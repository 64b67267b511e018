import { imageInputs } from "../../../rules/image-inputs";
import { replacingValues } from "../../../rules/inputs";
import { journalKey } from "../../../service/journal";
import type { Operation } from "../operation";
import { type ImageProps, nameIn } from "./state";

type Parts = Pick<Operation, "settings" | "service" | "journal" | "states" | "log">;

/**
 * Remembers submitted tasks. The service lists no tasks, so a task whose id is lost cannot be found again, and the
 * engine saves an id only when `create` ends. So the journal gets the id as soon as it is known.
 */
export class ImageTasks {
  constructor(private readonly parts: Parts) {}

  /** The task is about to be submitted. */
  async beforeSubmit(image: ImageProps): Promise<void> {
    await this.parts.journal.write(this.keyOf(image), { sentAtMs: this.parts.service.clock.now() });
  }

  async submitted(image: ImageProps, taskId: string): Promise<void> {
    await this.parts.journal.write(this.keyOf(image), { sentAtMs: this.parts.service.clock.now(), id: taskId });
  }

  /** The task that an earlier run submitted for this resource, and that the state does not have. */
  async interrupted(image: ImageProps): Promise<string | undefined> {
    const { settings, journal, states, log } = this.parts;
    const note = await journal.awaitOutcome(this.keyOf(image), settings.requestTimeoutMs, (leftMs) =>
      log.once(
        "interrupted submissions",
        "an earlier run was interrupted while it submitted image tasks. Their ids are awaited for up to " +
          `${Math.ceil(leftMs / 1000)} s (requestTimeoutSeconds)`,
      ),
    );
    if (note === undefined) return undefined;
    if (note.id === undefined) {
      log.line(
        `${nameIn(image.label)}: an earlier run was interrupted while it submitted this task. The service lists no ` +
          "tasks, so it is submitted again, and the first one may have been billed",
      );
      return undefined;
    }
    // A task that the state has was saved: this create is asked for on purpose, for example with --replace.
    return (await states.hasSaved(note.id)) ? undefined : note.id;
  }

  /**
   * Nothing has to be remembered: the task was refused, or the state has the task with this id, or its resource is
   * deleted.
   */
  async forget(image: ImageProps, taskId?: string): Promise<void> {
    await this.parts.journal.forget(() => this.keyOf(image), taskId);
  }

  /** Everything that the task is made from, and the account and the resource. */
  private keyOf(image: ImageProps): string {
    const account = this.parts.service.imageFingerprint();
    return journalKey("image", account, image.label, ...replacingValues(imageInputs, image));
  }
}
