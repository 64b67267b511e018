import { LocalNotes, noteKey } from "../../../service/local-notes";
import type { ImageProps } from "./state";
import { providerProcess } from "../operation";

/*
 * The service lists no tasks, so a task whose id was lost is lost with its price. The engine saves an id only when the create
 * ends, and a run that is killed, or ended by a second Ctrl-C, saves nothing. So the id is also written down on this machine, as soon
 * as it is known, under everything that the task was made from; the service forgets tasks after a day, as the notes do. Where the
 * next run is on another machine, the task is paid for again.
 */
const notes = new LocalNotes("image-tasks");

export function rememberTask(image: ImageProps, taskId: string): void {
  notes.remember(keyOf(image), taskId);
}

/** The task that an earlier run on this machine submitted for this very resource. */
export function recallTask(image: ImageProps): string | undefined {
  return notes.recall(keyOf(image), providerProcess().service.clock.now());
}

export function forgetTask(image: ImageProps): void {
  try {
    notes.forget(keyOf(image));
  } catch {
    // Without a key or an address nothing can be looked up, and a destroy of images needs neither.
  }
}

function keyOf({
  label,
  model,
  prompt,
  negativePrompt,
  size,
  n,
  promptExtend,
  watermark,
  triggers,
}: ImageProps): string {
  return noteKey(
    providerProcess().service.imageFingerprint(),
    label,
    model,
    prompt,
    negativePrompt,
    size,
    n,
    promptExtend,
    watermark,
    triggers,
  );
}
