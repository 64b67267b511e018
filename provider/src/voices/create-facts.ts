import { type CheckedVoice, hasGeneratedName, type Listed } from "../rules/voice";
import { voiceCarriesName } from "../rules/naming";
import type { CreateFacts } from "./judge/create";

/**
 * The facts about a create before it is sent. An update and its preview take them from the engine's calls and the
 * states. A review takes them from the steps of a preview and an exported state.
 */
export interface CreateSource<T extends Listed> extends Pick<CreateFacts<T>, "statesKnown" | "unfinished"> {
  inputs: Partial<CheckedVoice> & Pick<CheckedVoice, "preferredName">;
  /** The listed voices that may have the name, without voices that the journal notes as deleted. */
  listed: readonly T[];
  /**
   * The voices of this resource: voices that its state names, or that a delete of this run kept for the create.
   * `isGoing`: a person asked for another voice (`--replace`), or the voice is deleted before the create.
   */
  own: readonly { voice: string; isGoing?: boolean | undefined }[];
  /** Describes, for people, the other resource that holds the voice in a state. */
  holderBeside: (voice: string) => string | undefined;
  /** Whether another resource keeps, has or adopts the voice in this run. */
  isTaken: (voice: string) => boolean;
}

export function factsForCreate<T extends Listed>(source: CreateSource<T>): CreateFacts<T> {
  const { inputs, listed, own, holderBeside, isTaken, statesKnown, unfinished } = source;
  const { preferredName: name } = inputs;
  const generated = hasGeneratedName(inputs);
  const going = new Set(own.flatMap(({ voice, isGoing }) => (isGoing ? [voice] : [])));
  const named = listed.filter(({ voice }) => voiceCarriesName(voice, name, generated));
  return {
    ...{ name, generated, unfinished, statesKnown },
    found: named.filter(({ voice }) => !going.has(voice)),
    isOwn: (voice) => own.some((each) => each.voice === voice),
    holderOf: (voice) => holderBeside(voice) ?? (isTaken(voice) ? "another resource of this program" : undefined),
  };
}
