import { createHash } from "node:crypto";
import fc from "fast-check";
import { Journal } from "../../provider/src/service/journal/journal";
import { stateOf } from "../../provider/src/stacks/state";
import { type LoggedWork, SetLog } from "../../provider/src/voices/set-log";
import { journalIn } from "../support/journal";
import { fakeClock } from "../support/service";

/** The log of a set comes back whole, or counts as damaged: never as another one, and never as none. */

const clock = fakeClock(1_800_000_000_000);
const own = stateOf("p/dev", {});
const states: ConstructorParameters<typeof SetLog>[0]["states"] = {
  ...{ backend: () => Promise.resolve("b"), place: () => Promise.resolve("b/p/dev") },
  ...{ own: () => Promise.resolve(own), everywhere: () => Promise.resolve([own]) },
};
const urn = "urn:pulumi:dev::p::cloudvoice:index:VoiceSet::voices";
const logIn = (notes: Map<string, string>, apiKey = "k", more: Partial<typeof states> = {}) => {
  const journal = new Journal(journalIn(notes), clock, () => undefined, { apiKey });
  return new SetLog({ journal, states: { ...states, ...more }, clock });
};
async function begun(work: LoggedWork): Promise<Map<string, string>> {
  const notes = new Map<string, string>();
  await logIn(notes).begin(
    { ...work, stack: "p/dev", name: "voices", instance: "i", update: 1, pendingBefore: 0 },
    urn,
  );
  return notes;
}

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const create = fc.record({
  key: text,
  inputs: fc.record({ preferredName: text, targetModel: text, language: text, text: fc.string({ maxLength: 40 }) }),
  note: text,
});
const works = fc.record({ creates: fc.array(create), deletes: fc.array(text), existing: fc.array(text) });

test.each([
  ["of the stack", "b", "p/dev", undefined, ["i"]],
  ["not of another stack", "b", "p/two", undefined, []],
  ["not of another backend", "other", "p/dev", undefined, []],
  ["not of a backend that can't be identified", undefined, "p/dev", undefined, []],
  ["not if the end is noted", "b", "p/dev", [], []],
])("the updates without an end are found without a URN: %s", async (_, backend, stack, open, found) => {
  const notes = new Map<string, string>();
  const entry = { stack: "p/dev", name: "voices", instance: "i", update: 1, pendingBefore: 0 };
  const end = await logIn(notes).begin({ ...entry, creates: [], deletes: [], existing: [] }, urn);
  if (open !== undefined) await end(open);
  const journal = new Journal(journalIn(notes), clock, () => undefined, { apiKey: "k" });
  const log = new SetLog({ journal, states: { ...states, backend: () => Promise.resolve(backend) }, clock });
  expect((await log.unended(stack)).map(({ instance }) => instance)).toEqual(found);
});

test("any work comes back as it was noted, and so does the instance", async () => {
  await fc.assert(
    fc.asyncProperty(works, async (work) => {
      const log = logIn(await begun(work as LoggedWork));
      expect(await log.instanceOf(urn)).toBe("i");
      expect(await log.find("i")).toEqual({
        ...work,
        stack: "p/dev",
        name: "voices",
        instance: "i",
        update: 1,
        pendingBefore: 0,
      });
    }),
  );
});

// Hashes do not compress, so the log has several parts.
const long: LoggedWork = {
  creates: [],
  existing: [],
  deletes: Array.from({ length: 8000 }, (_, index) => createHash("sha256").update(`${index}`).digest("base64")),
};
const broken: [what: string, change: (note: string) => string][] = [
  ["its seal is damaged", (note) => note.replace(/"seal":"(.)/, (_, first) => `"seal":"${first === "A" ? "B" : "A"}`)],
  ["it is not sealed", (note) => JSON.stringify({ ...(JSON.parse(note) as object), seal: undefined })],
];
test.each(broken)("if of any note of the log %s, the log is damaged, and not absent", async (_, change) => {
  const whole = await begun(long);
  // The last note has the instance.
  const ofLog = [...whole].slice(0, -1);
  expect(ofLog.length).toBeGreaterThan(2);
  for (const [key, note] of ofLog)
    expect(await logIn(new Map([...whole, [key, change(note)]])).find("i")).toBe("damaged");
});

test("a content that no run of this package wrote is damaged", async () => {
  const notes = new Map<string, string>();
  const journal = new Journal(journalIn(notes), clock, () => undefined, { apiKey: "k" });
  const key = journal.keyOf("voice set", "b", "i");
  for (const result of [
    "{}",
    '{"text":"AAAA","rest":[],"stack":"s","name":"n","instance":"i","update":1,"pendingBefore":0}',
  ]) {
    await journal.write(key, { sentAtMs: clock.now(), result });
    expect(await logIn(notes).find("i")).toBe("damaged");
  }
});

test("without a note, or with another key, there is none", async () => {
  const notes = await begun(long);
  expect(await logIn(notes).find("other")).toBeUndefined();
  expect(await logIn(notes, "another").find("i")).toBeUndefined();
});

describe("the log of an update that did not end", () => {
  const set = { urn, instance: "i", updates: 0, voices: [], released: [] };
  const stack = (name: string, ...sets: (typeof set)[]) => ({
    ...stateOf(name, {}),
    instances: new Map(sets.map((each) => [each.instance, each])),
  });
  const at = (name: string) => ({ own: () => Promise.resolve(stack(name, set)) });
  const everywhere = (...all: ReturnType<typeof stack>[]) => ({ everywhere: () => Promise.resolve(all) });

  test.each<[what: string, updates: number, more: Partial<typeof states>, isFound: boolean]>([
    ["is found", 0, {}, true],
    ["is none if the state has the number of the update", 1, {}, false],
    ["is none if the state has a later number", 2, {}, false],
    ["is found after the rename of the stack", 0, { ...at("p/prod"), ...everywhere(stack("p/prod", set)) }, true],
    ["is none in a copy of the stack", 0, { ...at("p/prod"), ...everywhere(stack("p/dev", set)) }, false],
    ["is none if it may be a copy", 0, { ...at("p/prod"), everywhere: () => Promise.reject(new Error("no")) }, false],
    ["is none in a backend that is not known", 0, { backend: () => Promise.resolve(undefined) }, false],
  ])("%s", async (_, updates, more, isFound) => {
    const log = logIn(await begun({ creates: [], deletes: [], existing: [] }), "k", more);
    expect((await log.ofSaved({ instance: "i", updates })) !== undefined).toBe(isFound);
  });
});
