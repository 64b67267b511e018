import { type CheckedVoice, hasGeneratedName, type Listed } from "../rules/voice";
import { voiceCarriesName } from "../rules/naming";
import type { LeftRequest } from "./earlier-runs";
import type { CreateFacts } from "./judge/create";

/**
 * What is known of a create before it is sent. An update and its preview know it by the calls of the engine and the
 * states, a review by the steps of a preview and an exported state.
 */
export interface CreateSource<T extends Listed> {
  inputs: Partial<CheckedVoice> & Pick<CheckedVoice, "preferredName">;
  /** The voices of the list that may have the name. Without those that the journal notes as deleted. */
  listed: readonly T[];
  /**
   * The voices of this resource: its state names them, or a delete of this run kept them for the create. `isGoing`: a
   * person asked for another voice, or the voice is deleted before the create.
   */
  own: readonly { voice: string; isGoing?: boolean | undefined }[];
  /** The resource beside this one that holds the voice in a state, as a text for people. */
  holderBeside: (voice: string) => string | undefined;
  /** Whether another resource keeps, has or adopts the voice in this run. */
  isTaken: (voice: string) => boolean;
  /** Whether the states of all stacks could be read. */
  statesKnown: boolean;
  /** The create of this voice that an earlier run did not finish. */
  unfinished: LeftRequest | undefined;
}

/** The facts for `judgeCreate`: the same in an update, its preview and a review. */
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
