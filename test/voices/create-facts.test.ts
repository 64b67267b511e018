import { type CreateSource, factsForCreate } from "../../provider/src/voices/create-facts";

/** The facts of a create are the same, whoever asks: an update by its calls, or a review by the steps of a preview. */

const name = "studio_0a1b2c3";
const rows = ["a", "b"].map((each) => ({ voice: `svc-tts-vc-${name}-voice-20260101000000000-${each}` }));
const [{ voice: a }, { voice: b }] = rows as [{ voice: string }, { voice: string }];

const factsOf = (changes: Partial<CreateSource<{ voice: string }>>) =>
  factsForCreate({
    ...{ inputs: { preferredName: name, nameVersion: 1 }, listed: rows, own: [] },
    ...{ holderBeside: () => undefined, isTaken: () => false, statesKnown: true, unfinished: undefined },
    ...changes,
  });

test("the voices with the name are candidates, and others are not", () => {
  expect(factsOf({ listed: [...rows, { voice: "svc-tts-vc-other-voice-1" }] }).found).toEqual(rows);
});

test("a voice of the resource that a person wants replaced, or that goes before, is no candidate", () => {
  expect(factsOf({ own: [{ voice: a, isGoing: true }, { voice: b }] }).found).toEqual([{ voice: b }]);
});

test("the resource had what its state names, and nothing else", () => {
  const { isOwn } = factsOf({ own: [{ voice: a }] });
  expect([isOwn(a), isOwn(b)]).toEqual([true, false]);
});

test("a resource of the states is named before one of this run", () => {
  const { holderOf } = factsOf({
    holderBeside: (voice) => (voice === a ? "ren of the stack dev" : undefined),
    isTaken: () => true,
  });
  expect([holderOf(a), holderOf(b)]).toEqual(["ren of the stack dev", "another resource of this program"]);
});
