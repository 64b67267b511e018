import { inputsThat } from "../../rules/inputs";
import { isVoiceSet, nameInUrn } from "../../rules/resource-types";
import { splitUnknown } from "../../rules/unknown";
import { type CheckedVoice, voiceReplacements, voiceUpdates } from "../../rules/voice";
import { voiceInputs } from "../../rules/voice-inputs";
import {
  entryPath,
  entryUrn,
  pathParts,
  renamedEntries,
  voicesAsResources,
  type WantedEntry,
  wantedEntries,
  type SetInputs,
  withNameOf,
} from "../../rules/voice-set";
import type { Step } from "./step";

type Described = NonNullable<Step["newState"]>;

/** The step of a `VoiceSet` as a step for each of its voices, and every other one as it is. */
export function voicesOfStep(step: Step): Step[] {
  const { urn, oldState, newState } = step;
  if (!isVoiceSet((newState ?? oldState)?.type ?? "")) return [step];
  const olds = oldState ? voicesAsResources(oldState, oldState.urn ?? urn) : new Map<string, Described>();
  const news = newState ? voicesAsResources(newState, urn, true) : new Map<string, Described>();
  if (step.op !== "update" && step.op !== "same")
    return [...new Set([...news.keys(), ...olds.keys()])].map((key) => ({
      ...{ op: step.op, urn: entryUrn(urn, key), replaceReasons: step.replaceReasons },
      ...{ oldState: olds.get(key), newState: news.get(key) },
    }));

  const inputs = (newState?.inputs ?? {}) as unknown as SetInputs;
  const wanted = wantedEntries(inputs);
  const made = new Map([...olds].map(([key, old]) => [key, old.inputs as Partial<CheckedVoice>]));
  const renamed = renamedEntries(made, wanted);
  const going = oldStateOf(inputs);
  const kept = new Set<string>();
  const entries = [...news].map(([key, entry]): Step => {
    const from = olds.has(key) ? key : renamed.get(key);
    const old = from === undefined ? undefined : olds.get(from);
    const known = wanted.get(key);
    const asNew = withDependencies(entry, known, newState);
    if (from === undefined || old === undefined || known === undefined)
      return { op: "create", urn: entryUrn(urn, key), newState: asNew };
    kept.add(from);
    const reported = fieldsReported(step, key);
    const op = from === key ? operationOn(made.get(from) ?? {}, known, reported) : "update";
    const renamedFrom = from === key ? undefined : nameInUrn(entryUrn(urn, from));
    return {
      ...{ op, urn: entryUrn(urn, key), newState: asNew, replaceReasons: reported, renamedFrom },
      oldState: op === "replace" ? going(old) : old,
    };
  });
  const removed = [...olds].filter(([key]) => !kept.has(key));
  return [
    ...entries,
    ...removed.map(([key, old]) => ({ op: "delete", urn: entryUrn(urn, key), oldState: going(old) })),
  ];
}

/** Describes what happens to an old voice by the marks that the engine sets on a resource. */
function oldStateOf({ deleteBeforeReplace, keepRemoved }: SetInputs) {
  return (old: Described): Described => ({
    ...old,
    delete: deleteBeforeReplace !== true,
    retainOnDelete: keepRemoved === true,
  });
}

/** The fields of an entry that differ according to the provider. */
function fieldsReported({ detailedDiff }: Step, key: string): string[] {
  const parts = Object.keys(detailedDiff ?? {}).map(pathParts);
  const [, name] = pathParts(entryPath(key));
  return parts.flatMap(([voices, entry, field]) => (voices === "voices" && entry === name && field ? [field] : []));
}

/** A preview shows all secrets as the same text. */
function isEqual(made: object, inputs: object, field: string): boolean {
  const [before, after] = [made, inputs].map((each) => JSON.stringify(each[field as keyof typeof each]));
  return before === after;
}

function operationOn(made: Partial<CheckedVoice>, { inputs, unknown }: WantedEntry, reported: string[]): Step["op"] {
  const same = withNameOf(made, inputs);
  const replacing = [...inputsThat("replaces", voiceInputs), "audioSha256"];
  const isReported = reported.some((field) => replacing.includes(field) && isEqual(made, inputs, field));
  if (isReported || voiceReplacements(made, same, unknown).length > 0) return "replace";
  return reported.length > 0 || voiceUpdates(made, same, unknown).length > 0 ? "update" : "same";
}

/** The inputs that are not known yet may come from each resource that the set takes outputs of. */
function withDependencies(entry: Described, wanted: WantedEntry | undefined, set: Step["newState"]): Described {
  const sources = [...new Set(Object.values(set?.propertyDependencies ?? {}).flatMap((urns) => urns ?? []))];
  const { unknown } = splitUnknown(entry.inputs);
  const fields = [...unknown, ...(wanted?.unknown ?? [])];
  return { ...entry, propertyDependencies: Object.fromEntries(fields.map((field) => [field, sources])) };
}
