import { type CloudVoiceError, LostAnswerError } from "../../errors";
import { longestRequestMs } from "../../service/uploads";
import { type CheckedVoice, hasGeneratedName, type ListedVoice } from "../../rules/voice";
import type { VoiceNote } from "../../service/journal/note";
import type { VoiceList } from "../../service/voices/account";
import type { Resource } from "../lifecycle";
import type { Reading } from "../operation";

/** The listed voices that may be of this create: the one with the note's id, else those of its name, made since the note. */
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
  /** The error of the create, if this run sent it. */
  lost?: CloudVoiceError;
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
  { find, lost, announce }: LateLook,
): Promise<{ row?: ListedVoice | undefined; doubt?: string | undefined }> {
  const { service, settings } = reading;
  const { account, clock } = service;
  // A request that timed out may still arrive, and so may that of a killed run.
  const mayArrive = lost === undefined || (lost instanceof LostAnswerError && lost.timedOut);
  const arrivesByMs = note.sentAtMs + longestRequestMs(settings.requestTimeoutMs, note.bytesUnderWay);
  const untilMs = mayArrive ? arrivesByMs + settings.settleMs : clock.now();
  announce(Math.ceil((Math.max(0, untilMs - clock.now()) + settings.settleMs) / 1000));
  const first = await account.until(untilMs, find);
  if (first.row !== undefined) return first;
  // The voice of a create that this run sent may appear at any moment: look often until the time of the second list.
  const next = lost && (await account.until(first.list.atMs + settings.settleMs, find));
  if (next?.row !== undefined) return next;
  const second = await account.second(first.list);
  return { row: await find(second), doubt: doubtOf(reading, inputs, resource, note, first.list, second) };
}

/**
 * Why, by these lists, the create of this note may have made a voice. A new voice that may have the note's name is
 * enough: the service does not promise how the prefix before a name ends.
 */
function doubtOf(
  { given }: Reading,
  { preferredName }: CheckedVoice,
  { label }: Resource,
  { before }: Pick<VoiceNote, "before">,
  first: VoiceList,
  second: VoiceList,
): string | undefined {
  const perhaps = [first, second]
    .flatMap((list) => list.perhapsNamed(preferredName))
    .find(({ voice }) => !before.includes(voice) && given.isFree(voice, label));
  if (perhaps !== undefined) return `it has the new voice ${perhaps.voice}, which may be this one`;
  return first.doubt ?? second.doubt;
}
