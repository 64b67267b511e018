import { countedVoices, massLossProblem } from "../../provider/src/rules/mass-loss";

describe("a stack whose voices are missing", () => {
  const stack = "acme/studio/prod";

  test.each<[string, { held: number; missing: number; accept: "some" | "all" }, boolean]>([
    ["nothing is missing", { held: 3, missing: 0, accept: "some" }, false],
    ["a stack without voices", { held: 0, missing: 0, accept: "some" }, false],
    ["the only voice is missing", { held: 1, missing: 1, accept: "some" }, false],
    ["both of two voices are missing", { held: 2, missing: 2, accept: "some" }, false],
    ["two of three voices are missing", { held: 3, missing: 2, accept: "some" }, false],
    ["all of three voices are missing", { held: 3, missing: 3, accept: "some" }, true],
    ["all of a thousand voices are missing", { held: 1000, missing: 1000, accept: "some" }, true],
    ["all are missing, and the user accepts it", { held: 3, missing: 3, accept: "all" }, false],
  ])("%s", (_, loss, isProblem) => {
    expect(massLossProblem({ stack, ...loss }) !== undefined).toBe(isProblem);
  });

  test("the message says what was found, what is likely, and how to accept it", () => {
    expect(massLossProblem({ stack, held: 4, missing: 4, accept: "some" })).toMatch(
      /^all 4 voices of the stack acme\/studio\/prod are missing in the account\..*another account.*CLOUDVOICE_ACCEPT_MISSING=all/,
    );
  });
});

test("a voice counts once, and an old copy of a replaced resource does not count", () => {
  const holders = [
    { voice: "a", isOld: false },
    { voice: "a", isOld: false },
    { voice: "b", isOld: true },
  ];
  expect([...countedVoices(holders)]).toEqual(["a"]);
});
