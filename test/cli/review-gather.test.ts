import { ofEarlierRuns } from "../../provider/src/cli/review/gather";
import { CloudVoiceError } from "../../provider/src/errors";
import { readSettings } from "../../provider/src/rules/settings";
import type { Service } from "../../provider/src/service/connect";
import { Journal } from "../../provider/src/service/journal/journal";
import type { JournalStore } from "../../provider/src/service/journal/store";
import { States } from "../../provider/src/stacks/states";
import { EarlierRuns } from "../../provider/src/voices/earlier-runs";
import { journalIn } from "../support/journal";
import { preview, step, targetModel } from "../support/review-steps";
import { fakeClock } from "../support/service";
import { emptyStates } from "../support/states";

/** What a review finds of earlier runs, and that a record which can't be read does not count as an empty one. */

const name = "organization/program/dev";
const inputs = { preferredName: "narrator_1234567", targetModel, nameVersion: 1 };
const settings = { ...readSettings(() => undefined), apiKey: "k" };
const clock = fakeClock();

function recordsIn(store: JournalStore) {
  const warnings: string[] = [];
  const journal = new Journal(store, clock, (line) => warnings.push(line), settings);
  return { name, journal, warnings, states: new States(emptyStates(name), name) };
}

const account = (more: object = {}) => {
  const nothing = () => Promise.resolve([]);
  const certainNow = () => Promise.resolve(() => ({ found: [] }));
  return {
    ...{ clock, voiceFingerprint: () => "f" },
    account: { voices: nothing, named: nothing, certainNow, ...more },
  } as unknown as Service;
};

/** The note that a killed create left. */
async function notesOfKilledCreate() {
  const notes = new Map<string, string>();
  const records = recordsIn(journalIn(notes));
  const earlier = new EarlierRuns({ ...records, fingerprint: () => "f", startedAtMs: 0 });
  await records.journal.write((await earlier.noteKey(inputs, name)) ?? "", { sentAtMs: clock.now() });
  return journalIn(notes);
}

const creating = preview(step("create", "v", { news: inputs }));

test("a killed create is found by the journal, without a warning", async () => {
  const records = recordsIn(await notesOfKilledCreate());
  const found = await ofEarlierRuns(records, creating, account());
  expect([[...(found.unfinished?.keys() ?? [])], records.warnings]).toEqual([[inputs.preferredName], []]);
});

test("a journal that can't be read shows no create, and warns", async () => {
  const closed = () => Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }));
  const records = recordsIn({ ...(await notesOfKilledCreate()), readAll: closed, read: closed });
  const found = await ofEarlierRuns(records, creating, account());
  expect([...(found.unfinished?.keys() ?? [])]).toEqual([]);
  expect(new Set(records.warnings)).toEqual(
    new Set([expect.stringMatching(/^the journal can't be read \(EACCES\)\. /) as string]),
  );
});

test("an account that can't be listed again is an error, and not an account without unfinished creates", async () => {
  const records = recordsIn(await notesOfKilledCreate());
  const failing = account({ certainNow: () => Promise.reject(new CloudVoiceError("no response")) });
  await expect(ofEarlierRuns(records, creating, failing)).rejects.toThrow("no response");
});
