import { nameInVoice } from "../../provider/src/rules/naming";
import type { SetInputs } from "../../provider/src/rules/voice-set";
import { emulate } from "../support/emulate";
import { questionsIn } from "../support/operation";
import { SimulatedSet } from "../support/simulated-set";
import { Random } from "../simulation/world";

/** Random lives of a set: programs change, updates are killed or fail in part, and the account is small. */

const lives = Number(process.env.CLOUDVOICE_SET_LIVES ?? 12);
const first = Number(process.env.CLOUDVOICE_SET_SEED ?? 1);
/** The first ones broke once. */
const seeds = [1099, 5054, ...Array.from({ length: lives }, (_, index) => first + index)];
const keys = ["a", "b", "c", "d", "e f"];

test.each(seeds)(
  "life %i: each voice is paid once, and after an update that ends well the account has what the state names",
  async (seed) => {
    const random = new Random(seed);
    const below = (end: number) => random.between(0, end - 1);
    const drawn = 4 + below(4);
    let program: SetInputs["voices"] = {};
    const former: SetInputs["voices"][] = [];
    const events: string[] = [];
    // Two killed updates in a row without a journal: the state tells of the second only.
    const hasLostEvidence = random.chance(0.3);
    const quota = hasLostEvidence ? 1000 : drawn;
    const emulator = await emulate({ voiceQuota: quota });
    const set = new SimulatedSet(emulator, { voiceQuota: String(quota) });
    const draw = () => {
      const chosen = keys.filter(() => random.chance(0.6)).slice(0, quota);
      return Object.fromEntries(chosen.map((key) => [key, { audio: `https://example.org/${below(6)}.wav` }]));
    };
    for (let step = 0; step < 8; step++) {
      former.push(program);
      const earlier = former[below(former.length)] ?? {};
      program = random.chance(0.3) ? earlier : random.chance(0.8) ? draw() : program;
      emulator.setFaults(
        random.chance(0.3)
          ? [
              {
                kind: random.chance(0.5) ? "500" : "reset-after",
                on: ["create", "delete"],
                skip: below(3),
                times: 1,
              },
            ]
          : [],
      );
      const deleteBeforeReplace = random.chance(0.2);
      const killedAfter = random.chance(0.4) ? below(7) : undefined;
      const ended = await set.up(program, { deleteBeforeReplace, ...(killedAfter !== undefined && { killedAfter }) });
      events.push(`${JSON.stringify(program)} ${deleteBeforeReplace} killed ${killedAfter}: ${ended.error || "ok"}`);
      if (ended.error === "killed") {
        // One of the two kinds of evidence may be lost.
        if (hasLostEvidence) set.notes.clear();
        else if (random.chance(0.5)) set.pending = [];
        events.push(hasLostEvidence ? "notes lost" : `${set.pending.length} pending`);
      }
      if (random.chance(0.2)) await set.refresh();
      const named = emulator.voices().map(({ voice }) => nameInVoice(voice));
      expect({ events, twice: named.filter((name, index) => named.indexOf(name) < index) }).toEqual({
        events,
        twice: [],
      });
    }
    emulator.setFaults([]);
    for (let attempt = 0; attempt < 4; attempt++) {
      const { error } = await set.up(program);
      events.push(`at last: ${error || "ok"}`);
      // Where all voices of the state are gone, a person has to decide.
      set.accepted = new Set([...set.accepted, ...questionsIn(error)]);
    }
    const { error, changes } = await set.up(program);
    const account = emulator.voices().map(({ voice }) => voice);
    const held = Object.values(set.held());
    // Without a note of it, nobody knows what a killed update has made.
    const found = hasLostEvidence ? account.filter((voice) => held.includes(voice)) : account;
    const end = { error, changes, keys: Object.keys(set.held()).sort(), account: found.sort() };
    const whole = { error: "", changes: [], keys: Object.keys(program).sort(), account: held.sort() };
    expect([events.join("\n"), end]).toEqual([events.join("\n"), whole]);
    await set.destroy();
    if (!hasLostEvidence) expect([events, emulator.voices()]).toEqual([events, []]);
  },
);
