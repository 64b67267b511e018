import { Journal } from "../../provider/src/service/journal/journal";
import { emulate } from "../support/emulate";
import { journalIn } from "../support/journal";
import { newOperation, questionsIn } from "../support/operation";
import { fakeClock } from "../support/service";

/** Somebody can write the journal and the names of its notes, and has no key: nothing in it makes a run pay, take or pass a gate. */

const questions = { q: { type: "choice", instructions: "Which?", criteria: { approve: "Yes", reject: "No" } } };
const identityOf = (name: string) => ({ urn: `urn:pulumi:dev::p::t::${name}` });
const gateOf = (name: string, answer: string) => ({
  ...{ state: `q=${answer}`, questions, expect: { q: { choice: "approve" } } },
  identity: identityOf(name),
});
const imageOf = { model: "svc-image", prompt: "A whale", identity: identityOf("whale") };
const failure = (work: Promise<unknown>) =>
  work.then(
    () => "",
    (error: unknown) => (error as Error).message,
  );

async function setUp() {
  const emulator = await emulate();
  const notes = new Map<string, string>();
  const operation = (accepted: ReadonlySet<string> = new Set()) => {
    const parts = { clock: fakeClock(), journal: journalIn(notes), accepted };
    return newOperation(emulator, {}, parts);
  };
  const create = async (kind: "decision" | "image", news: object, accepted?: ReadonlySet<string>) => {
    const { [kind]: life } = operation(accepted);
    return life.create((await life.check({}, { ...news }, new Set())).inputs);
  };
  const noteAfter = async (work: Promise<unknown>) => {
    notes.clear();
    await failure(work);
    const [[key, text] = ["", ""], ...others] = [...notes];
    expect(others).toEqual([]);
    return { key, text };
  };
  return { emulator, notes, create, noteAfter };
}

test("the sealed answers of an open gate, put under the note of a closed one, open nothing, and a person is asked", async () => {
  const { emulator, notes, create, noteAfter } = await setUp();
  const open = await noteAfter(create("decision", gateOf("open", "approve")));
  const closed = await noteAfter(create("decision", gateOf("closed", "reject")));
  notes.set(closed.key, open.text);
  const message = await failure(create("decision", gateOf("closed", "reject")));
  expect(message).toMatch(
    /note of this request proves nothing: .*somebody changed it.*may have been paid for.*CLOUDVOICE_ACCEPT=pay-again-/,
  );
  expect(emulator.summary().calls.decide).toBe(2);
  // Yes asks again, which is an answer of the service, and its own note.
  expect(await failure(create("decision", gateOf("closed", "reject"), questionsIn(message)))).toMatch(
    /expected approve/,
  );
  expect(emulator.summary().calls.decide).toBe(3);
});

test("answers that a note has kept are judged again by the questions of the program", async () => {
  const { emulator, notes, create, noteAfter } = await setUp();
  const { key } = await noteAfter(create("decision", gateOf("gate", "approve")));
  const clock = fakeClock();
  const journal = new Journal(journalIn(notes), clock, () => undefined, emulator);
  const result = JSON.stringify({ answers: { q: { type: "noul", noul: 1 } }, model: "m", requestId: "r" });
  await journal.write(key, { sentAtMs: clock.now(), id: "r", result });
  expect(await failure(create("decision", gateOf("gate", "approve")))).toMatch(/CLOUDVOICE_ACCEPT=pay-again-/);
  expect(emulator.summary().calls.decide).toBe(1);
});

test("the plain note of an earlier release about an image is no task, and no second payment without a yes", async () => {
  const { emulator, notes, create, noteAfter } = await setUp();
  const { key, text } = await noteAfter(create("image", imageOf));
  const plain = { ...(JSON.parse(text) as object), seal: undefined, id: "a-task-of-somebody" };
  notes.set(key, JSON.stringify(plain));
  const message = await failure(create("image", imageOf));
  expect(message).toMatch(/whale: the journal's note of this request.*another task is submitted, and paid/);
  expect(emulator.summary().calls.submit).toBe(1);
  expect(await failure(create("image", imageOf, questionsIn(message)))).toBe("");
  expect(emulator.summary().calls.submit).toBe(2);
});
