import { isRecord } from "../../rules/is-record";
import { unknownNames } from "../../rules/nearest-name";

/** The problems in a catalog's arguments. The program and the plugin look for them: the engine checks no component. */
export function catalogProblems(args: object, voiceInputs: readonly string[], isInputs = isRecord): string[] {
  const { voices, defaults = {} } = args as Record<string, unknown>;
  const voiceProblems = (inputs: unknown, place: string) =>
    isInputs(inputs)
      ? unknownNames(inputs, voiceInputs, "an input of CloudVoice", ` in ${place}`)
      : [`${place} must be an object of inputs`];
  const problems = isInputs(voices)
    ? Object.entries(voices).flatMap(([key, entry]) =>
        voiceProblems(entry, /^\w+$/.test(key) ? `voices.${key}` : `voices[${JSON.stringify(key)}]`),
      )
    : ["voices must be an object of voices"];
  return [
    ...unknownNames(args, ["voices", "defaults", "deleteBeforeReplace"], "an input of VoiceCatalog"),
    ...voiceProblems(defaults, "defaults"),
    ...problems,
  ];
}

/** The inputs of the voices by key. A default also applies to a field that an entry sets to `undefined`. */
export function catalogVoices(
  voices: Readonly<Record<string, object>>,
  defaults: object = {},
): [key: string, inputs: Record<string, unknown>][] {
  return Object.entries(voices).map(([key, entry]) => {
    const definedFields = Object.entries(entry).filter(([, value]) => value !== undefined);
    return [key, { ...defaults, ...Object.fromEntries(definedFields) }];
  });
}

/**
 * The property for the secret outputs of a voice. Workaround: one secret in a property makes the whole property secret.
 */
export const secretsOf = (voice: string) => `${voice}:secrets`;

/**
 * Outputs for a program that passes {@link outputsBehind}. They are one JSON text if all values are known and not
 * secret, because the engine logs and copies each field of an object separately: for a thousand voices, that takes a
 * fifth of the engine's time.
 */
export type PackedOutputs = string | Record<string, unknown>;

export function unpacked(outputs: PackedOutputs): Record<string, unknown> {
  return typeof outputs === "string" ? (JSON.parse(outputs) as Record<string, unknown>) : outputs;
}

/**
 * The input by which the class in TypeScript asks for the outputs of each voice. Other programs do not pass it, because
 * these outputs take much memory.
 */
export const outputsBehind = "outputsBehind";

export interface OutputsAsked {
  gates: string[];
  /** The names of the voices whose outputs can be secret. */
  mayBeSecret: string[];
}
