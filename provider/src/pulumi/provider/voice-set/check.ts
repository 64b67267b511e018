import { type CheckFailure, checkFailure, quoted } from "../../../rules/inputs";
import { isRecord } from "../../../rules/is-record";
import { visible } from "../../../rules/visible";
import { type CheckedVoice, voiceReplacements } from "../../../rules/voice";
import {
  adoptedTwice,
  entryPath,
  matchedEntries,
  type SetInputs,
  setProblems,
  type WantedEntry,
  wantedEntries,
} from "../../../rules/voice-set";
import type { Operation } from "../operation";
import { recordingOf } from "../recording";
import { entryOf, inParallel, type SetResource } from "./entry";
import type { VoiceLifecycle } from "./run";

/** The fields that `check` adds to an entry. */
const facts = ["preferredName", "nameVersion", "audioSha256", "audioSeconds"] as const;

/** Checks each entry as a voice is checked. */
export async function checkSet(
  operation: Operation,
  voice: VoiceLifecycle,
  news: Partial<SetInputs>,
  olds: Partial<SetInputs> | undefined,
  resource: SetResource,
): Promise<{ inputs: Partial<SetInputs>; failures: CheckFailure[] }> {
  const problems = setProblems(news);
  if (problems.length > 0) return { inputs: news, failures: problems.map((problem) => checkFailure(problem)) };
  const given = news as SetInputs;
  const wanted = wantedEntries(given);
  const before = [...wantedEntries((olds ?? { voices: {} }) as SetInputs)].map(([key, { inputs }]) => ({
    key,
    inputs,
  }));
  const { kept, replaced } = matchedEntries(
    before,
    before.length > 0 ? await withRecordings(operation, wanted) : wanted,
  );
  const checked = await inParallel([...wanted], ([key, entry]) => {
    const deletesFirst = given.deleteBeforeReplace === true;
    return checkEntry(voice, key, entry, (kept.get(key) ?? replaced.get(key))?.inputs, resource, deletesFirst);
  });
  const failures = failuresIn(checked, given, wanted);
  if (!isRecord(given.voices)) return { inputs: news, failures };
  const accepted = checked.map(({ key, inputs }) => {
    return [key, acceptedEntry(given.voices[key], inputs, wanted.get(key)?.inputs.audio)] as const;
  });
  return { inputs: { ...given, voices: Object.fromEntries(accepted) as SetInputs["voices"] }, failures };
}

/** If the entry needs a new voice, checks it again without old inputs, as the engine does for a replacement. */
async function checkEntry(
  voice: VoiceLifecycle,
  key: string,
  { inputs, unknown }: WantedEntry,
  olds: Partial<CheckedVoice> | undefined,
  resource: SetResource,
  deletesFirst: boolean,
) {
  const keepsRecording = olds?.audio !== undefined && inputs.audioSha256 !== undefined;
  const entry = entryOf(resource, key, { deletesFirst, keepsRecording });
  const checked = await voice.check(inputs, olds, entry, unknown);
  if (olds === undefined || checked.failures.length > 0) return { key, ...checked };
  if (voiceReplacements(olds, checked.inputs, unknown).length === 0) return { key, ...checked };
  const replacement = entryOf(resource, key, { deletesFirst });
  return { key, ...(await voice.check(inputs, undefined, replacement, unknown)) };
}

/** The entries with the hashes of their recordings, by which entries are compared. */
async function withRecordings(operation: Operation, wanted: ReadonlyMap<string, WantedEntry>) {
  const all = await inParallel([...wanted], async ([key, entry]): Promise<[string, WantedEntry]> => {
    if (entry.inputs.audioSha256 !== undefined) return [key, entry];
    const file = await recordingOf(operation, entry.inputs.audio);
    if (file?.state !== "audio") return [key, entry];
    return [key, { ...entry, inputs: { ...entry.inputs, audioSha256: file.sha256 } }];
  });
  return new Map(all);
}

/** A problem in `defaults` occurs in each entry, and is reported once. */
function failuresIn(
  checked: readonly { key: string; failures: CheckFailure[] }[],
  given: SetInputs,
  wanted: ReadonlyMap<string, WantedEntry>,
): CheckFailure[] {
  const found = checked.flatMap(({ key, failures }) =>
    failures.map(({ property, reason }) => {
      if (property === "") return { property, reason: `${entryPath(key)}: ${reason}` };
      if (isOfDefaults(given, key, property)) return { property: `defaults.${property}`, reason };
      // The engine prints the value of an input of a resource, but not of an entry.
      const place = property === "audio" ? `${visible(quoted(wanted.get(key)?.inputs.audio))} ` : "";
      return { property: entryPath(key, property), reason: place + reason };
    }),
  );
  const shared = adoptedTwice(wanted).map((problem) => checkFailure(problem));
  return [...shared, ...new Map(found.map((each) => [`${each.property} ${each.reason}`, each])).values()];
}

/** An entry as the engine saves it: as the program gives it, with the facts that the check adds. */
function acceptedEntry(given: unknown, inputs: Partial<CheckedVoice>, audio: unknown): unknown {
  if (!isRecord(given)) return given;
  const added = facts.filter((name) => inputs[name] !== undefined).map((name) => [name, inputs[name]]);
  return { ...given, ...(inputs.audio !== audio && { audio: inputs.audio }), ...Object.fromEntries(added) };
}

/** Whether the entry takes this input from the set's `defaults`. */
function isOfDefaults({ voices, defaults }: SetInputs, key: string, input: string): boolean {
  const given: unknown = voices[key];
  return isRecord(defaults) && input in defaults && !(isRecord(given) && input in given);
}
