import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { InputError } from "../../errors";
import { parseStorage } from "../../rules/storage";
import { Bucket, type BucketOptions, missingClientProblem } from "../bucket";
import { journalInBucket } from "./bucket";
import { journalInFolder } from "./folder";
import type { JournalStore } from "./store";

/** The folder in which pulumi-cloudvoice keeps data between runs, according to the XDG specification. */
export function stateFolder({ XDG_STATE_HOME }: NodeJS.ProcessEnv = process.env): string {
  return join(XDG_STATE_HOME || join(homedir(), ".local", "state"), "pulumi-cloudvoice");
}

/** The warning for a pipeline that loses its journal. Undefined if the setting `journal` is set. */
export function lostJournalHint(journal: string | undefined, { CI }: NodeJS.ProcessEnv): string | undefined {
  if (journal !== undefined || !CI) return undefined;
  return (
    "this pipeline does not keep the journal. If a run is killed, the next run can't recognise what it created. Use a " +
    "bucket (CLOUDVOICE_JOURNAL=s3://bucket/prefix?region=eu-central-1), or a folder that the pipeline's cache keeps " +
    "(CLOUDVOICE_JOURNAL=.cloudvoice-journal)"
  );
}

/** Opens the journal at the place that the setting `journal` names. By default, it is a folder in `stateFolder`. */
export function openJournalStore(
  journal: string | undefined,
  options: BucketOptions,
): JournalStore & { place: string } {
  const storage = parseStorage(journal ?? join(stateFolder(), "journal"));
  if ("problem" in storage) throw new InputError(`settings: cloudvoice:journal ${storage.problem}`);
  if ("bucket" in storage) {
    const problem = missingClientProblem(options.programFolder);
    if (problem !== undefined) throw new InputError(`settings: cloudvoice:journal ${problem}`);
    const { bucket, prefix } = storage.bucket;
    return { ...journalInBucket(new Bucket(storage.bucket, options)), place: `s3://${bucket}/${prefix}` };
  }
  const folder = resolve(options.programFolder, storage.folder);
  return { ...journalInFolder(folder), place: folder };
}
