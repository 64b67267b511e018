import type { Settings } from "../rules/settings";
import type { Service } from "../service/connect";
import { Journal } from "../service/journal/journal";
import type { ListedVoice } from "../service/voices/client";
import type { States } from "../stacks/states";
import { SetLog } from "../voices/set-log";
import { orphansOfSets } from "../voices/set-orphans";
import { journalStoreOf, namingOf, withContent } from "./stack";

/** The listed voices that the killed first update of a set made. `warn` gets the warnings of the journal. */
export async function setOrphans(
  listed: readonly ListedVoice[],
  states: States,
  settings: Settings,
  { clock }: Pick<Service, "clock">,
  warn: (line: string) => void,
) {
  const journal = new Journal(await journalStoreOf(settings), clock, warn, settings);
  const own = await withContent(await states.own(), settings);
  return orphansOfSets(listed, own, new SetLog({ journal, states, clock }), namingOf(settings));
}
