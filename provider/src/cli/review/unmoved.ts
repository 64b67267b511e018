import { moveLine, type PlacedVoice, type SetMove, setMoves } from "../../rules/set-moves";
import { counted } from "../listing";
import { kindOf } from "./change";
import type { Step } from "./step";

/** Voices that the update pays for again, because they pass between a set and resources of their own without `move`. */
export interface Unmoved extends SetMove {
  voices: number;
}

/** Looks for each new voice among those that the update deletes: with the same key, model and recording. */
export function unmovedVoices(steps: readonly Step[]): Unmoved[] {
  const ofVoices = steps.filter((step) => kindOf(step) === "voice");
  const find = setMoves<PlacedVoice & { targetModel?: unknown }>(
    ofVoices.filter(({ op }) => op === "delete").map(({ urn, oldState }) => ({ ...oldState?.inputs, urn })),
  );
  const found = new Map<string, Unmoved>();
  for (const { op, urn, newState } of ofVoices) {
    const { inputs = {} } = newState ?? {};
    if (op !== "create" || inputs.adopt !== undefined) continue;
    const move = find({ ...inputs, urn }, (deleted) => deleted.targetModel === inputs.targetModel);
    if (move === undefined) continue;
    const key = JSON.stringify(move);
    found.set(key, { ...move, voices: (found.get(key)?.voices ?? 0) + 1 });
  }
  return [...found.values()];
}

interface Reviewed {
  stack: string;
  unmoved?: Unmoved[];
  withoutMove?: boolean;
}

/** Whether such voices are over a limit: no person has said that they may be paid for again. */
export function isUnmovedOver({ unmoved = [], withoutMove = false }: Reviewed): boolean {
  return unmoved.length > 0 && !withoutMove;
}

export function unmovedLines(review: Reviewed): string[] {
  const how = isUnmovedOver(review)
    ? ". The review is over a limit, unless --without-move says that this is wanted"
    : "";
  return (review.unmoved ?? []).map(({ voices, ...move }) => {
    const line = moveLine(move, counted(voices, "voice"), review.stack);
    return `${line}${how}.`;
  });
}
