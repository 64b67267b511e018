import type { Settings } from "../rules/settings";
import { systemClock } from "../service/clock";
import type { Journal } from "../service/journal/journal";
import type { ListedVoice } from "../service/voices/client";
import type { States } from "../stacks/states";
import { SetLog } from "../voices/set-log";
import { leftOfSet, orphansOfSets } from "../voices/set-orphans";
import { withContent } from "./stack";

/** Returns the listed voices that a killed update created for a set which is in no state. */
export async function setOrphans(listed: readonly ListedVoice[], states: States, settings: Settings, journal: Journal) {
  const own = await states.own();
  const hasPending = own.pendingUpdates.some(({ isCreate }) => isCreate);
  const log = new SetLog({ journal, states, clock: systemClock });
  const read = hasPending ? await withContent(own, settings) : own;
  return orphansOfSets(listed, read, log, settings, states.everywhere);
}

/** Returns what killed first updates left of these sets. */
export async function leftOfSets(
  sets: readonly { urn: string }[],
  listed: readonly ListedVoice[],
  states: States,
  log: SetLog,
  journal: Journal,
) {
  if (sets.length === 0) return [];
  const own = await states.own();
  return Promise.all(sets.map(({ urn }) => leftOfSet(urn, listed, own, log, journal)));
}
