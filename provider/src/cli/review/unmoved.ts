import { moveLine, type PlacedVoice, type SetMove, setMoves } from "../../rules/set-moves";
import { counted } from "../listing";
import { kindOf } from "./change";
import type { Step } from "./step";

/** Voices that the update pays for again: they pass between a set and single resources without the command `move`. */
export interface Unmoved extends SetMove {
  voices: number;
}

/** Matches new voices with voices that the update deletes, by key, model and recording. */
export function unmovedVoices(steps: readonly Step[]): Unmoved[] {
  const ofVoices = steps.filter((step) => kindOf(step) === "voice");
  const find = setMoves<PlacedVoice & { targetModel?: unknown }>(
    ofVoices.filter(({ op }) => op === "delete").map(({ urn, oldState }) => ({ ...oldState?.inputs, urn })),
  );
  const moves = new Map<string, Unmoved>();
  for (const { op, urn, newState } of ofVoices) {
    const { inputs = {} } = newState ?? {};
    if (op !== "create" || inputs.adopt !== undefined) continue;
    const move = find({ ...inputs, urn }, (deleted) => deleted.targetModel === inputs.targetModel);
    if (move === undefined) continue;
    const key = JSON.stringify(move);
    moves.set(key, { ...move, voices: (moves.get(key)?.voices ?? 0) + 1 });
  }
  return [...moves.values()];
}

interface Reviewed {
  stack: string;
  unmoved?: Unmoved[];
  withoutMove?: boolean;
}

/** Whether unmoved voices count as over a limit: nobody has accepted them with `--without-move`. */
export function isUnmovedOver({ unmoved = [], withoutMove = false }: Reviewed): boolean {
  return unmoved.length > 0 && !withoutMove;
}

export function unmovedLines(review: Reviewed): string[] {
  const how = isUnmovedOver(review) ? ". This exceeds a limit of the review. To accept it, add --without-move" : "";
  return (review.unmoved ?? []).map(({ voices, ...move }) => {
    const line = moveLine(move, counted(voices, "voice"), review.stack);
    return `${line}${how}.`;
  });
}
