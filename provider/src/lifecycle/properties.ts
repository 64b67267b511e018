import { isAbsolute, relative, sep } from "node:path";
import { derivedOutputs, resources } from "../rules/resources";
import type { Props, Resource } from "./lifecycle";
import { recordingFile } from "../service/audio/size-up";
import type { Reading } from "./operation";

/* The fields of a dynamic resource that no life cycle knows. A resource keeps them when it moves to the plugin. */

/** The outputs that a program can mark as secret by an empty input of the same name (program/secrets.ts). */
const markableOutputs = Object.values(resources).flatMap((resource) => derivedOutputs(resource).names);

export function markedSecrets(props: Props): string[] {
  return markableOutputs.filter((name) => props[name] === "");
}

/** The fields of a dynamic resource's state that its life cycle does not know. */
export function hiddenState({ label, stack }: Pick<Resource, "label" | "stack">): Props {
  return { ...(label !== "" && { label }), ...(stack !== "" && { stack }) }; // @persisted
}

/** The fields of a dynamic resource's inputs that its life cycle does not know. */
export function hiddenInputs(props: Props, resource: Resource): Props {
  return { ...hiddenState(resource), ...Object.fromEntries(markedSecrets(props).map((name) => [name, ""])) };
}

/** Removes the fields of {@link hiddenInputs}, and `__provider`, which every call has. */
export function withoutHidden(props: Props): Props {
  const { label: _, stack: _stack, __provider: __, ...shown } = props;
  const marked = markedSecrets(props);
  if (marked.length === 0) return shown;
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !marked.includes(name)));
}

/**
 * Makes absolute paths relative to the program's folder, in which this process runs, so that the state is valid on
 * every machine. Workaround: an inline program of the Automation API runs in another folder, so it uses absolute paths.
 */
export function withRelativePaths(props: Record<string, unknown>): Record<string, unknown> {
  const paths = ["audio", "saveTo"].flatMap((name) => {
    const path = props[name];
    if (typeof path !== "string" || !isAbsolute(path)) return [];
    return [[name, relative(process.cwd(), path).split(sep).join("/") || "."] as const];
  });
  return { ...props, ...Object.fromEntries(paths) };
}

/** The fields of a voice's inputs that describe its recording. */
const fields = ["audio", "audioSha256", "audioSeconds"];

/** The inputs with the old recording in place of their own. */
export function withRecordingOf<Inputs extends object>(olds: object, news: Inputs): Inputs {
  const others = Object.entries(news).filter(([name]) => !fields.includes(name));
  const recording = Object.entries(olds).filter(([name]) => fields.includes(name));
  return Object.fromEntries([...others, ...recording]) as Inputs;
}

/** Puts the old recording back if `ignoreChanges` names it. The engine puts back its path, but not changed bytes. */
export function keepIgnoredRecording<Inputs extends object>(
  olds: { audio?: unknown },
  news: Inputs,
  ignored: Iterable<string>,
): Inputs {
  const isIgnored = [...ignored].some((path) => ["audio", "audioSha256", "*"].includes(path));
  return isIgnored && olds.audio !== undefined ? withRecordingOf(olds, news) : news;
}

/** Inspects the file that the input `audio` names. Undefined for a URL, and for a value that is not a text. */
export function recordingOf({ inspectAudio }: Reading, audio: unknown) {
  const file = recordingFile(audio);
  return file === undefined ? undefined : inspectAudio(file);
}
