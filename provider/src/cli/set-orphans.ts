import type { Settings } from "../rules/settings";
import { systemClock } from "../service/clock";
import type { Journal } from "../service/journal/journal";
import type { ListedVoice } from "../service/voices/client";
import type { States } from "../stacks/states";
import { SetLog } from "../voices/set-log";
import { orphansOfSets } from "../voices/set-orphans";
import { withContent } from "./stack";

/** Returns the listed voices that the killed first update of a set created. */
export async function setOrphans(listed: readonly ListedVoice[], states: States, settings: Settings, journal: Journal) {
  const own = await states.own();
  if (!own.pendingUpdates.some(({ isCreate }) => isCreate)) return [];
  const log = new SetLog({ journal, states, clock: systemClock });
  return orphansOfSets(listed, await withContent(own, settings), log, settings);
}
