import { once } from "../../../once";
import { moveLine, setMoves } from "../../../rules/set-moves";
import type { CheckedVoice } from "../../../rules/voice";
import { stackIn } from "../../../stacks/names";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";

/**
 * Warns once if a new voice is in the state already, in a set or outside of it: `move` was forgotten, in the state or in
 * the program. A hint only: without a readable state there is none.
 */
export function missingMoves({ states, log }: Operation) {
  const finder = once(async () => {
    const { holders } = await states.ownAtStart().catch(() => ({ holders: [] }));
    return setMoves(holders.filter(({ isOld }) => !isOld).map((each) => ({ ...each, urn: each.savedUrn })));
  });
  return async (inputs: Partial<CheckedVoice>, { identity }: Resource): Promise<void> => {
    if (identity === undefined || inputs.adopt !== undefined) return;
    const urn = identity.savedUrn ?? identity.urn;
    const move = (await finder())({ ...inputs, urn });
    if (move !== undefined) log.warnOnce(`move ${move.set}`, moveLine(move, "voices", stackIn(urn)?.stack ?? ""));
  };
}
