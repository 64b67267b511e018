import {
  boundedId,
  firstField,
  FormProblem,
  isNumber,
  isText,
  maxIdLength,
  onlyValue,
  type Place,
  valuesOf,
} from "./fields";

/**
 * The voice that a create made. An unneeded field must not lose a paid voice, so only `voice` is
 * required. If there are two voices, the one with the requested name counts.
 */
export function readCreatedVoice(places: readonly Place[], preferredName: string) {
  const mode = firstField(places, "fallback_mode", isSomething);
  const named = valuesOf(places, "voice", isText);
  const asked = named.filter(({ value }) => value.includes(`${preferredName}-voice-`));
  if (named.length === 0) throw new FormProblem("voice");
  return {
    voice: boundedId("voice", onlyValue("voice", asked.length > 0 ? asked : named)),
    targetModel: firstField(places, "target_model", isText)?.slice(0, maxIdLength),
    degraded: mode !== undefined && !/^(|0|false|none|no|off|null)$/i.test(textOf(mode)),
    degradedReason: firstField(places, "fallback_reason", isSomething),
    count: firstField(places, "count", isNumber) ?? 1,
  };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

function isSomething(value: unknown): value is string | number | boolean | object {
  return value !== undefined && value !== null;
}
