import {
  deletedQuestion,
  keyQuestion,
  type Loss,
  missingIn,
  missingQuestion,
  recordedElsewhere,
  vanishedQuestion,
} from "../../../provider/src/voices/judge/missing";

const stack = "studio/prod";
const prices = { origin: "https://a.example", voicePrice: 0.01, currency: "USD" };
const doubt = "the meaning of status_code is not known";

test.each<[string, Omit<Loss, "stack">, boolean]>([
  ["nothing is missing", { held: 3, missing: 0 }, false],
  ["nothing is missing in a list that proves nothing", { held: 3, missing: 0, doubt }, false],
  ["a stack without voices", { held: 0, missing: 0 }, false],
  ["the only voice is missing", { held: 1, missing: 1 }, false],
  ["both of two voices are missing", { held: 2, missing: 2 }, false],
  ["two of three voices are missing", { held: 3, missing: 2 }, false],
  ["all of three voices are missing", { held: 3, missing: 3 }, true],
  ["the only voice is missing from a list that proves nothing", { held: 1, missing: 1, doubt }, true],
  ["one of two is missing from such a list", { held: 2, missing: 1, doubt }, true],
])("a stack whose voices are missing: %s", (_, loss, isQuestion) => {
  expect(missingQuestion({ stack, ...loss }, prices) !== undefined).toBe(isQuestion);
});

test("all are missing: the question says what was found, what is likely, and what the next update would pay", () => {
  const question = missingQuestion({ stack, held: 4, missing: 4 }, prices);
  expect(question).toEqual({
    ...{ kind: "missing", origin: prices.origin, stack },
    uncertain: expect.stringMatching(
      /^All 4 voices of the stack studio\/prod are missing in the account\..*another account.*wrong response.*clean-up\.$/,
    ) as string,
    yes: "they leave the state, and the next update creates them again: 4 voices, $0.04",
    otherwise: expect.stringMatching(/^Nothing was changed\. .*doctor/) as string,
  });
});

test("a list that proves nothing: the question says how many it lacks, and why that is not certain", () => {
  const question = missingQuestion({ stack, held: 2, missing: 1, doubt }, { ...prices, currency: "EUR" });
  expect(question?.uncertain).toMatch(
    /lacks 1 of the 2 voices of the stack studio\/prod.*: the meaning of status_code/,
  );
  expect(question?.yes).toMatch(/creates them again: 1 voice, €0\.01$/);
});

test("a delete whose end is not certain is asked about with the id of the stack's missing voices, and yes costs nothing", () => {
  const { kind, origin, stack: of, request, ...texts } = deletedQuestion("svc-v", stack, doubt, prices.origin);
  expect({ kind, origin, stack: of, request }).toEqual({
    kind: "missing",
    origin: prices.origin,
    stack,
    request: undefined,
  });
  expect(texts.uncertain).toMatch(
    /not say that the voice svc-v is deleted.*list does not prove it: the meaning of status_code/,
  );
  expect(texts.yes).toBe("it counts as deleted, and leaves the state");
});

test("a voice that one list had and the next lacks: the question says why that is not certain, and what yes does", () => {
  const question = vanishedQuestion("svc-v", stack, doubt, prices);
  expect(question).toMatchObject({ kind: "missing", origin: prices.origin, stack });
  expect(question.uncertain).toMatch(/had the voice svc-v/);
  expect(question.uncertain).toContain(`: ${doubt}.`);
  expect(question.yes).toMatch(/0\.01/);
});

test("a question of a preview that does not know the stack calls it this stack", () => {
  expect(missingQuestion({ stack: "", held: 3, missing: 3 }, prices)?.uncertain).toMatch(
    /^All 3 voices of this stack /,
  );
});

test.each<[what: string, account: string | undefined, listed: string[], elsewhere: boolean]>([
  ["with this key", "https://a.example 111111", [], false],
  ["with no key", undefined, [], false],
  ["with another key", "https://a.example 222222", [], true],
  ["with another key, and it is listed", "https://a.example 222222", ["lost"], false],
  ["with another key, of which this account has another voice", "https://a.example 222222", ["other"], false],
])("a voice that the state records %s", (_, account, listed, elsewhere) => {
  const held = [
    { voice: "other", account: "https://a.example 222222" },
    { voice: "lost", account },
  ].slice(listed.includes("other") ? 0 : 1);
  expect(recordedElsewhere(held, new Set(listed), "https://a.example 111111")?.voice).toBe(
    elsewhere ? "lost" : undefined,
  );
});

test("a voice counts once, and an old copy of a replaced resource does not count", () => {
  const holders = [
    { voice: "a", isOld: false, account: "https://a.example 111111" },
    { voice: "a", isOld: false },
    { voice: "b", isOld: true },
  ];
  expect(missingIn(holders, [], undefined)).toEqual({ held: 1, missing: 1 });
  expect(missingIn(holders, [{ voice: "a" }], undefined)).toEqual({ held: 1, missing: 0 });
});

test("without a key, the voices of all recorded accounts count", () => {
  const holders = [{ voice: "a", isOld: false, account: "https://a.example 111111" }];
  expect(missingIn(holders, [], undefined)).toEqual({ held: 1, missing: 1 });
});

test("a voice that is missing for a known reason does not count, and one that is listed all the same counts", () => {
  const holders = ["a", "b", "c"].map((voice) => ({ voice, isOld: false }));
  const explained = new Set(["a", "b"]);
  expect(missingIn(holders, [{ voice: "a" }], undefined, explained)).toEqual({ held: 2, missing: 1 });
});

test("of a stack that uses two services, only the voices of the one that is asked count, and those of unknown accounts", () => {
  const keys = ["https://a.example 111111", "https://a.example 222222", "https://a.example 333333"];
  const holders = [...keys, "https://b.example 111111", undefined].map((account, index) => ({
    ...{ voice: `v${index}`, isOld: false, account },
  }));
  expect(missingIn(holders, [{ voice: "v1" }, { voice: "v3" }], "https://a.example 333333")).toEqual({
    held: 4,
    missing: 3,
  });
});

const askedOfKey = (recorded: string, current: string) =>
  keyQuestion("is not in this account", "svc-v", recorded, current, "studio/prod", "https://a.example");

// test/rules/account-fingerprint.test.ts has the other differences.
test("the question about another key says which account was recorded, which is now, and how they differ", () => {
  expect(askedOfKey("https://a.example 111111", "https://b.example 222222").uncertain).toBe(
    "The voice svc-v is not in this account, and the state records another account " +
      "(https://a.example 111111 then, https://b.example 222222 now: another address). Nothing was changed.",
  );
});

test("yes is for the stack: the key counts as one of the account, and what is not listed as deleted", () => {
  const { kind, stack, origin, request, uncertain, yes, otherwise } = askedOfKey(
    "https://a.example 111111",
    "https://a.example 222222",
  );
  expect(uncertain).toContain("the same address, another key");
  expect({ kind, stack, origin, request }).toEqual({
    ...{ kind: "key", stack: "studio/prod", origin: "https://a.example", request: undefined },
  });
  expect(yes).toMatch(
    /this key and address count as those of the same account, and voices .* does not have count as deleted$/,
  );
  expect(otherwise).toMatch(/^Otherwise set the key and the address/);
});
