import { hashIn } from "../../../rules/naming";
import { hasGeneratedName } from "../../../rules/voice";
import { type SetVoices, voiceIds } from "../../../rules/voice-set";
import type { LoggedCreate, LoggedWork } from "../../../voices/set-log";
import type { Interruption } from "./interruption";
import { isLeaving, type Step } from "./plan";
import type { Recovered } from "./recover";

type Intended = Pick<LoggedCreate, "key" | "inputs">;

/** The creates of voices with generated names, by which a later run can find them. */
export function intendedBy(steps: readonly Step[]): Intended[] {
  return steps.flatMap((step) => {
    if (step.action !== "create" || !hasGeneratedName(step.entry.wanted.inputs)) return [];
    const { preferredName, targetModel, adopt, ...others } = step.entry.wanted.inputs;
    const isFound = adopt === undefined && preferredName !== undefined && targetModel !== undefined;
    return isFound ? [{ key: step.key, inputs: { ...others, preferredName, targetModel } }] : [];
  });
}

/** What an update is about to do, for the set's log. `listed`: voices that already have the name of a create. */
export function workOf(
  { held, interruption, open }: Recovered,
  saved: SetVoices,
  steps: readonly Step[],
  { creates, listed }: { creates: readonly LoggedCreate[]; listed: readonly string[] },
): LoggedWork {
  const inState = voiceIds(saved);
  const existing = voiceIds(held);
  const idsOf = (action: "delete" | "release") =>
    new Set(steps.filter(isLeaving).flatMap((step) => (step.action === action ? [step.state.voice] : [])));
  const [going, staying] = [idsOf("delete"), idsOf("release")];
  // The creates of the interrupted update, except those whose voices the state has.
  const carried = (interruption?.creates ?? []).flatMap((create): LoggedCreate[] => {
    const { key, inputs, note, found } = create;
    if (open.includes(create)) return [{ key, inputs, note }];
    const unsaved = found.filter(({ voice }) => !inState.has(voice) && !staying.has(voice));
    return unsaved.map(({ voice }) => ({ key, inputs, note, voice }));
  });
  return {
    creates: [...carried, ...creates],
    // Include voices that the interrupted update has deleted and that the state still names.
    deletes: [...inState, ...existing].filter((voice) => going.has(voice) || !existing.has(voice)),
    // A released voice stays in the account, and must not look like a voice that this update created.
    existing: [...(interruption?.existing ?? []), ...listed, ...staying],
  };
}

/** Whether the interrupted update had a create of the same voice. A rename changes only the readable part of a name. */
export function isCarried({ inputs }: Intended, interruption: Interruption | undefined): boolean {
  const hash = hashIn(inputs.preferredName);
  return interruption?.creates.some((create) => hashIn(create.inputs.preferredName) === hash) === true;
}
