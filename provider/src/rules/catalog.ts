import type { CheckFailure } from "./inputs";
import { unknownNames } from "./nearest-name";
import { isRecord, unknownValue } from "./values";
import { visible } from "./visible";
import { nativeTypes, resourceTypes } from "./resource-types";

type Inputs = Record<string, unknown>;

/** Returns the problems of the inputs of a voice. `elsewhere`: the names of inputs that are given elsewhere, or not needed. */
export type InputsCheck = (inputs: Inputs, elsewhere: ReadonlySet<string>) => CheckFailure[];

/** Checks only the names of the inputs. */
export const namesCheck =
  (voiceInputs: readonly string[]): InputsCheck =>
  (inputs) =>
    unknownNames(inputs, voiceInputs, "an input of CloudVoice").map((reason) => ({ property: "", reason }));

/**
 * The problems in a catalog's arguments, each with its place. The program and the plugin look for them, because the
 * engine checks no component, and ends the run at the first voice with a problem.
 */
export function catalogProblems(
  args: object,
  voiceInputs: readonly string[],
  check: InputsCheck,
  isInputs = isRecord,
): string[] {
  const { voices, defaults = {} } = args as Inputs;
  const isGiven = (inputs: unknown, name: string) => isInputs(inputs) && (inputs[name] ?? undefined) !== undefined;
  const problemsAt = (place: string, inputs: unknown, isElsewhere: (name: string) => boolean) => {
    if (!isInputs(inputs)) return [`${place} must be an object of inputs`];
    const elsewhere = voiceInputs.filter((name) => !isGiven(inputs, name) && isElsewhere(name));
    const problems = check(inputs, new Set(elsewhere));
    return problems.map(({ property, reason }) => `${joined(place, property)}: ${reason}`);
  };
  const ofEntry = ([key, entry]: [string, unknown]) =>
    problemsAt(placeOf(key), isInputs(entry) ? withoutRenames(entry) : entry, (name) => isGiven(defaults, name));
  return [
    ...unknownNames(args, ["voices", "defaults", "deleteBeforeReplace"], "an input of VoiceCatalog"),
    ...problemsAt("defaults", defaults, () => true),
    ...(isInputs(voices)
      ? [...Object.entries(voices).flatMap(ofEntry), ...renameProblems(voices)]
      : ["voices must be an object of voices"]),
  ].map(visible);
}

/** The names of the inputs that the option `ignoreChanges` keeps. `*`: all of them. */
export function ignoredInputs(ignoreChanges: readonly string[] = []): Set<string> {
  const names = ignoreChanges.map((path) => path.replace(/[.[].*$/s, ""));
  return new Set(names.map((name) => (name === "audioSha256" ? "audio" : name)));
}

/** Each former key belongs to one entry, because the engine gives a voice to one resource. */
function renameProblems(voices: Inputs): string[] {
  const entriesOf = new Map<unknown, string>();
  return Object.entries(voices).flatMap(([key, entry]) =>
    formerKeys(entry).flatMap((former) => {
      const reason = reasonAgainst(former, voices, entriesOf.get(former));
      entriesOf.set(former, placeOf(key));
      return reason === undefined ? [] : [`${placeOf(key)}.renamedFrom: ${reason}`];
    }),
  );
}

function reasonAgainst(former: unknown, voices: Inputs, other: string | undefined): string | undefined {
  if (typeof former !== "string" || former === unknownValue)
    return "must be the former key, or a list of former keys, as plain texts";
  if (Object.hasOwn(voices, former))
    return `${JSON.stringify(former)} is a key of this catalog. To give entries each other's keys, rename them in two updates`;
  return other === undefined ? undefined : `${JSON.stringify(former)} is named twice, here and at ${other}`;
}

function formerKeys(entry: unknown): unknown[] {
  return isRecord(entry) ? [entry.renamedFrom ?? []].flat() : [];
}

function withoutRenames({ renamedFrom: _, ...inputs }: Inputs): Inputs {
  return inputs;
}

const placeOf = (key: string) => (/^[\w-]+$/.test(key) ? `voices.${key}` : `voices[${JSON.stringify(key)}]`);
const joined = (place: string, property: string) => (property === "" ? place : `${place}.${property}`);

/**
 * The problems as one error. Workaround: Node.js does not send the error of a call if its headers are longer than 64
 * KB. In headers, gRPC writes three characters for each byte of a character outside of ASCII.
 */
export function problemText(catalog: string, problems: readonly string[]): string {
  if (problems.length === 1) return `${visible(catalog)}: ${problems.join("")}`;
  let room = 40_000;
  const shown = problems.filter((problem) => (room -= encodeURIComponent(problem).length) > 0);
  const rest = problems.length - shown.length;
  const lines = [
    `${visible(catalog)}: ${problems.length} problems`,
    ...shown,
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ];
  return lines.join("\n  ");
}

/** A voice of a catalog: its key, its inputs, and the keys that it had before. */
export type CatalogVoice<Entry = Inputs> = [key: string, inputs: Entry, renamedFrom: string[]];

/** The voices of a catalog without problems. A default also applies to a field that an entry sets to `undefined`. */
export function catalogVoices(voices: Readonly<Record<string, object>>, defaults: object = {}): CatalogVoice[] {
  return Object.entries(voices).map(([key, entry]) => {
    const definedFields = Object.entries(withoutRenames(entry as Inputs)).filter(([, value]) => value !== undefined);
    return [key, { ...defaults, ...Object.fromEntries(definedFields) }, formerKeys(entry).map(String)];
  });
}

/**
 * The names and types of the resources that a renamed voice may have been. A rename and a change between the classes
 * and the plugin can come together.
 */
export function formerVoices(catalog: string, renamedFrom: readonly string[]): { name: string; type: string }[] {
  const types = [nativeTypes.cloudVoice, resourceTypes.cloudVoice];
  return renamedFrom.flatMap((key) => types.map((type) => ({ name: `${catalog}-${key}`, type })));
}

/** The facts about a voice that a program needs to synthesize speech. An absent language may be null. */
export function manifestEntry(
  state: Partial<Record<"voice" | "targetModel" | "language", unknown>>,
): Record<string, unknown> {
  const { voice, targetModel, language = null } = state;
  return { voice, targetModel, ...(language !== null && { language }) };
}
