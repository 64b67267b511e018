import { CloudVoiceError, InputError } from "../../provider/src/errors";
import { BilledLimit } from "../../provider/src/rules/billed-limit";
import { BilledRequests, type Sending } from "../../provider/src/service/billed-requests";
import { Journal } from "../../provider/src/service/journal/journal";
import type { JournalNote } from "../../provider/src/service/journal/note";
import { journalIn } from "../support/journal";
import { fakeClock } from "../support/service";

/** What is noted of a request that costs money. What the run after it does with the note: test/voices/earlier-runs.test.ts. */

const startedAt = Date.parse("2026-06-01T12:00:00Z");

/** Operations that share one journal, one after the other. */
function operations() {
  const stored = new Map<string, string>();
  const store = journalIn(stored);
  const clock = fakeClock(startedAt);
  const next = ({ isAlive = true, most = "" } = {}) =>
    new BilledRequests({
      limit: new BilledLimit({ CLOUDVOICE_MAX_BILLED: most }),
      assertMaySend: () => (isAlive ? Promise.resolve() : Promise.reject(new InputError("the engine has exited"))),
      notes: {
        journal: new Journal(store, clock, () => undefined, { apiKey: "k" }),
        clock,
      },
    });
  const noted = async (): Promise<Partial<JournalNote>[]> => {
    const journal = new Journal(store, clock, () => undefined, { apiKey: "k" });
    const notes = await Promise.all([...stored.keys()].map((key) => journal.find(key)));
    return notes.map(({ sentAtMs: _, ...rest } = { sentAtMs: 0 }) => rest);
  };
  return { next, noted };
}

const id = (made: string) => ({ id: made });

test.each<[what: string, failure: unknown, note: Partial<JournalNote>[]]>([
  ["was refused leaves no note", new CloudVoiceError("refused"), []],
  [
    "was answered with something useless says so",
    new CloudVoiceError("odd", { billed: "yes", status: 200 }),
    [{ gaveUp: true, isUnread: true }],
  ],
  ["lost its response says so", new CloudVoiceError("lost", { billed: "unknown" }), [{ gaveUp: true }]],
  ["ended in a mistake of ours keeps its note", new TypeError("a bug"), [{}]],
])("a request that %s", async (_, failure, note) => {
  const { next, noted } = operations();
  const work = next().send(
    "voices",
    "k",
    (sending) => sending.beforeSend().then(() => Promise.reject(failure as Error)),
    id,
  );
  await expect(work).rejects.toBe(failure);
  expect(await noted()).toEqual(note);
});

test("a request is noted before it is sent, and its outcome once it is known", async () => {
  const { next, noted } = operations();
  let during: unknown;
  const made = await next().send(
    "voices",
    "k",
    async (sending) => (await sending.beforeSend(), (during = await noted()), "made"),
    id,
  );
  expect([made, during, await noted()]).toEqual(["made", [{}], [{ id: "made" }]]);
});

test("nothing is sent once the engine has exited, and the note of an earlier run stays", async () => {
  const { next, noted } = operations();
  await next().send("voices", "k", (sending) => sending.beforeSend().then(() => "made"), id);
  let sent = 0;
  const gone = next({ isAlive: false });
  const work = (key: string | undefined) =>
    gone.send("voices", key, (sending) => sending.beforeSend().then(() => `${++sent}`), id);
  await expect(work("k")).rejects.toThrow("the engine has exited");
  await expect(work(undefined)).rejects.toThrow("the engine has exited");
  expect([sent, await noted()]).toEqual([0, [{ id: "made" }]]);
});

test("a limit counts a request once, however often it is attempted, and refuses the next before it is noted", async () => {
  const { next, noted } = operations();
  const billed = next({ most: "voices=2, images=0" });
  const twice = async (sending: { beforeSend: () => Promise<void> }) => {
    for (let attempt = 0; attempt < 2; attempt++) await sending.beforeSend();
    return "made";
  };
  await billed.send("voices", "a", twice, id);
  await billed.send("voices", "b", twice, id);
  await expect(billed.send("voices", "c", twice, id)).rejects.toThrow(
    /^Nothing was sent: CLOUDVOICE_MAX_BILLED allows 2 voices in one run, and this one asks for more\./,
  );
  await expect(billed.send("images", "d", twice, id)).rejects.toThrow("allows 0 images");
  // A kind that is left out, and `decisionCheck`.
  for (const kind of ["decisions", undefined] as const) expect(await billed.send(kind, "e", twice, id)).toBe("made");
  expect(await noted()).toEqual([{ id: "made" }, { id: "made" }, { id: "made" }]);
});

test("a limit with room for one lets one of two resources reserve, e.g. delete its voice first, and then create", async () => {
  const billed = operations().next({ most: "voices=1" });
  await billed.reserve("voices", "a");
  await expect(billed.reserve("voices", "b")).rejects.toThrow("allows 1 voices");
  await billed.reserve("voices", "a");
  const send = async (sending: Sending) => {
    await sending.beforeSend();
    return "created";
  };
  const create = (label: string) => billed.send("voices", label, send, id, { label, before: [] });
  expect(await create("a")).toBe("created");
  await expect(create("a")).rejects.toThrow("allows 1 voices");
});

test("the note of a voice says for whom it was sent, and stays if a later request is refused after a lost one", async () => {
  const { next, noted } = operations();
  const facts = { label: "narrator", before: ["svc-a-voice-1"], bytes: 3 };
  const refused = new CloudVoiceError("refused");
  const work = async (sending: Sending, isLost: boolean): Promise<never> => {
    await sending.beforeSend();
    if (isLost) sending.keepNote();
    throw refused;
  };
  for (const [isLost, notes] of [
    [false, []],
    [true, [{ ...facts, gaveUp: true }]],
  ] as const) {
    await expect(next().send("voices", "k", (sending) => work(sending, isLost), id, facts)).rejects.toBe(refused);
    expect(await noted()).toEqual(notes);
  }
});
