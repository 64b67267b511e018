import { once } from "../../../once";
import { moveLine, setMoves } from "../../../rules/set-moves";
import type { CheckedVoice } from "../../../rules/voice";
import { stackIn } from "../../../stacks/names";
import type { Resource } from "../lifecycle";
import type { States } from "../../../stacks/states";
import type { Log } from "../log";

/**
 * Warns once if the program moved a voice into or out of a set, and the state still has the voice at its old place: the
 * update would create the voice again.
 */
export function missingMoves(states: Pick<States, "ownAtStart">, log: Pick<Log, "warnOnce">) {
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
