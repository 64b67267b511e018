import { change } from "../../simulation/commands";
import { add, Life } from "./life";

/** A refresh never believes one list that a voice is gone. */

const emptied = (body: string) =>
  body.replace(/"voice_list":\[.*\]/s, '"voice_list":[]').replace(/"total_count":\d+/, '"total_count":0');

async function started(names = ["a", "b", "c"]): Promise<Life> {
  const life = new Life();
  await life.do(...names.map((name) => add(name)));
  await life.ok();
  await life.do({ do: "wait", seconds: 300 });
  return life;
}

/** The first lists are wrong. */
function wrongLists(life: Life, times: number, wrong: (body: string) => string): void {
  life.between = async (action, send) => {
    const response = await send();
    return action === "list" && times-- > 0 ? { ...response, body: wrong(response.body) } : response;
  };
}

test("up --refresh while the list is empty once: nothing is paid, removed or asked", async () => {
  const life = await started();
  wrongLists(life, 1, emptied);
  await life.ok({ refresh: true });
  expect([life.billed, life.held()]).toEqual([3, life.voices]);
  // The person who waits is told why, once.
  expect(
    life.log.match(/list lacks voices that the state has, such as \S+\..*after \d+ s \(settleSeconds\)/g),
  ).toHaveLength(1);
});

test("up --refresh while the list stays empty: one question, and nothing is paid or removed", async () => {
  const life = await started();
  wrongLists(life, 100, emptied);
  const { errors } = await life.run({ refresh: true });
  expect(new Set(errors.join().match(/CLOUDVOICE_ACCEPT=[\w-]+/g)).size).toBe(1);
  expect([errors.join(), life.billed, life.held()]).toEqual([expect.stringContaining("missing-"), 3, life.voices]);
});

test("a list that lacks a voice once: nothing is paid or removed", async () => {
  const life = await started();
  wrongLists(life, 1, (body) =>
    body.replace(/\{[^{]*?a_\d[^}]*\},?/, "").replace(/"total_count":3/, '"total_count":2'),
  );
  await life.ok({ refresh: true });
  expect([life.billed, life.held()]).toEqual([3, life.voices]);
});

test("a voice that was deleted by hand leaves the state, and the next update creates it without a wait or a question", async () => {
  const life = await started();
  life.deleteByHand(life.voices[0]!);
  await life.ok({ refresh: true });
  expect([life.billed, life.held()]).toEqual([4, life.voices]);
  expect(life.log).toContain("no longer exists: it was deleted outside Pulumi");
});

test("all voices of an account are gone: a person is asked once, also by the update that follows the refresh", async () => {
  const life = await started();
  for (const voice of life.voices) life.deleteByHand(voice);
  expect(await life.asked({ do: "refresh" })).toEqual(["missing"]);
  await life.ok();
  expect([life.billed, life.held()]).toEqual([6, life.voices]);
});

test("up and refresh while the list is late: nothing leaves the state", async () => {
  const life = new Life({ service: { listLagMs: 40_000 } });
  await life.do(add("a"), add("b"));
  await life.ok();
  await life.ok({ do: "refresh" });
  expect(life.held()).toEqual(life.voices);
});

describe("another key", () => {
  test("with all voices there: no question, and the state has the new account", async () => {
    const life = await started();
    life.set({ apiKey: "rotated-key" });
    await life.ok({ refresh: true });
    expect(life.billed).toBe(3);
    life.deleteByHand(life.voices[0]!);
    await life.ok({ refresh: true });
    expect(life.billed).toBe(4);
  });

  test("with a voice missing: the question says what differs, the remedy comes first, and what yes means last", async () => {
    const life = await started();
    life.deleteByHand(life.voices[0]!);
    life.set({ apiKey: "another-key" });
    const { errors } = await life.run({ refresh: true });
    expect(errors.join()).toMatch(
      /is not in this account, and the API key is not the one of the state .* Probably the key is another account's: set the key.* If you say yes, .*CLOUDVOICE_ACCEPT=account-\w+\.$/,
    );
    expect(life.billed).toBe(3);
  });

  test("beside a change of content: asked before anything is paid", async () => {
    const life = await started(["a"]);
    life.deleteByHand(life.voices[0]!);
    life.byHand("other");
    life.set({ apiKey: "another-key" });
    await life.do(change("a", { content: 1 }));
    const { errors } = await life.run();
    expect([errors.join(), life.billed]).toEqual([expect.stringContaining("account-"), 1]);
  });
});
