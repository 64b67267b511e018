import { longestRequestMs } from "../../service/uploads";
import { type CheckedVoice, hasGeneratedName, type ListedVoice } from "../../rules/voice";
import type { VoiceNote } from "../../service/journal/note";
import { doubtOf, type VoiceList } from "../../service/voices/account";
import type { Resource } from "../lifecycle";
import type { Reading } from "../operation";

/**
 * The listed voices that may be of this create: if the note has an id, the one with it; otherwise those of its name that
 * are new since the note.
 */
export function candidates(
  list: VoiceList,
  inputs: CheckedVoice,
  { id, before = [] }: Partial<Pick<VoiceNote, "id" | "before">> = {},
): readonly ListedVoice[] {
  if (id !== undefined) return [list.get(id)].filter((row) => row !== undefined);
  // A generated name depends on the model, and the list may have another name for it.
  const isOfModel = (model: string) => hasGeneratedName(inputs) || ["", inputs.targetModel].includes(model);
  const named = list.named(inputs.preferredName).filter((row) => isOfModel(row.targetModel));
  return named.filter(({ voice }) => !before.includes(voice));
}

interface LateLook {
  /** Finds the voice in a list, and claims it for the resource. */
  find: (list: VoiceList) => Promise<ListedVoice | undefined>;
  /** Whether a request may still be on its way to the service: one that timed out, or that of a killed run. */
  mayArrive: boolean;
  /** Called once before the look, with its longest duration in seconds. */
  announce: (seconds: number) => void;
}

/**
 * Looks for the voice of a create whose outcome is not known, until two lists lack it. `doubt`: why the voice may exist
 * although they lack it.
 */
export async function lookLate(
  reading: Reading,
  inputs: CheckedVoice,
  resource: Resource,
  note: Pick<VoiceNote, "sentAtMs" | "bytesUnderWay" | "before">,
  { find, mayArrive, announce }: LateLook,
): Promise<{ row?: ListedVoice | undefined; doubt?: string | undefined }> {
  const { service, settings, given } = reading;
  const { account, clock } = service;
  const arrivesByMs = note.sentAtMs + longestRequestMs(settings.requestTimeoutMs, note.bytesUnderWay);
  const untilMs = mayArrive ? arrivesByMs + settings.settleMs : clock.now();
  announce(Math.ceil((Math.max(0, untilMs - clock.now()) + settings.settleMs) / 1000));
  const first = await account.until(untilMs, find);
  if (first.row !== undefined) return first;
  // The voice may appear at any moment: look often until the time of the second list.
  const next = await account.until(first.list.atMs + settings.settleMs, find);
  if (next.row !== undefined) return next;
  const second = await account.second(first.list);
  const row = await find(second);
  // The service does not promise how the prefix before a name ends, so a new voice that may have this name is enough.
  const perhaps = [first.list, second]
    .flatMap((list) => list.perhapsNamed(inputs.preferredName))
    .map(({ voice }) => voice)
    .filter((voice) => !note.before.includes(voice) && given.isFreeFor(voice, resource.label));
  if (perhaps.length === 0) return { row, doubt: doubtOf(first.list, second) };
  return { row, doubt: `it has the new voice ${[...new Set(perhaps)].join(", ")}, which may be this one` };
}
