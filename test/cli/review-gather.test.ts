import { ofEarlierRuns } from "../../provider/src/cli/review/gather";
import { CloudVoiceError } from "../../provider/src/errors";
import { voiceSetType } from "../../provider/src/rules/resource-types";
import { readSettings } from "../../provider/src/rules/settings";
import type { Service } from "../../provider/src/service/connect";
import { Journal } from "../../provider/src/service/journal/journal";
import type { JournalStore } from "../../provider/src/service/journal/store";
import { States } from "../../provider/src/stacks/states";
import { EarlierRuns } from "../../provider/src/voices/earlier-runs";
import { SetLog } from "../../provider/src/voices/set-log";
import { journalIn } from "../support/journal";
import { preview, step, targetModel } from "../support/review-steps";
import { fakeClock } from "../support/service";
import { emptyStates } from "../support/states";

/** What a review finds of earlier runs, and that a record which can't be read does not count as an empty one. */

const name = "organization/program/dev";
const urn = `urn:pulumi:dev::program::${voiceSetType}::voices`;
const inputs = { preferredName: "narrator_1234567", targetModel };
const voice = "svc-tts-vc-narrator_1234567-voice-20261121115500000-cafe";
const settings = { ...readSettings(() => undefined), apiKey: "k" };
const clock = fakeClock();

function recordsIn(store: JournalStore) {
  const warnings: string[] = [];
  const journal = new Journal(store, clock, (line) => warnings.push(line), settings);
  return { name, journal, warnings, states: new States(emptyStates(name), name) };
}

const account = (more: object = {}) => {
  const listed = [{ voice, targetModel }];
  const rows = () => Promise.resolve(listed);
  return { clock, voiceFingerprint: () => "f", account: { voices: rows, named: rows, ...more } } as unknown as Service;
};

/** The notes that a killed first update of a set left. */
async function notesOfKilledUpdate() {
  const notes = new Map<string, string>();
  const { journal, states } = recordsIn(journalIn(notes));
  const head = { stack: name, name: "voices", instance: "i", update: 1, pendingBefore: 0 };
  const creates = [{ key: "narrator", inputs }];
  await new SetLog({ journal, states, clock }).begin({ ...head, creates, deletes: [], existing: [] }, urn);
  return journalIn(notes);
}

const created = { ...preview(), createdSets: [{ urn, keepsRemoved: false }] };

test("the voices of a killed first update are found by the journal, without a warning", async () => {
  const records = recordsIn(await notesOfKilledUpdate());
  const found = await ofEarlierRuns(records, created, settings, account());
  expect([found.leftOfSets, records.warnings]).toEqual([[{ urn, voices: [voice], unseen: [] }], []]);
});

test("a journal that can't be read shows no voices, and warns", async () => {
  const closed = () => Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }));
  const records = recordsIn({ ...(await notesOfKilledUpdate()), readAll: closed, read: closed });
  const found = await ofEarlierRuns(records, created, settings, account());
  expect(found.leftOfSets).toEqual([{ urn, voices: [], unseen: [] }]);
  expect(new Set(records.warnings)).toEqual(
    new Set([expect.stringMatching(/^the journal can't be read \(EACCES\)\. /) as string]),
  );
});

test("an account that can't be listed again is an error, and not an account without unfinished creates", async () => {
  const records = recordsIn(journalIn(new Map()));
  const wanted = { ...inputs, nameVersion: 1 };
  const earlier = new EarlierRuns({ ...records, fingerprint: () => "f", startedAtMs: 0 });
  await records.journal.write((await earlier.noteKey(wanted, name)) ?? "", { sentAtMs: clock.now() });
  const failing = account({ certainNow: () => Promise.reject(new CloudVoiceError("no response")) });
  const creating = preview(step("create", "v", { news: wanted }));
  await expect(ofEarlierRuns(records, creating, settings, failing)).rejects.toThrow("no response");
});
