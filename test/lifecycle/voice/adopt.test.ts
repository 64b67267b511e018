import { change } from "../../simulation/commands";
import { add, Life } from "./life";

/** Any number of resources may adopt a voice that exists. Only a generated name is asked about. */

test.each(["guide_english", "take_2english", "aenglish"])(
  "a hand-made voice named %s is adopted without a question",
  async (name) => {
    const life = new Life();
    const voice = life.byHand(name);
    await life.do(add("a"), add("b"));
    for (const declared of life.program()) declared.adopt = voice;
    await life.ok();
    expect([life.billed, life.held()]).toEqual([0, [voice, voice]]);
  },
);

test("a voice that another stack created is asked about, and the page's line is true: its creator deletes it", async () => {
  const life = new Life();
  await life.do(add("a"), add("b", { stack: 1 }));
  await life.ok();
  life.program(1)[0]!.adopt = life.voices[0]!;
  const { errors } = await life.run({ stack: 1 });
  expect(errors.join()).toMatch(
    /has a generated name: a stack created it.*CLOUDVOICE_ACCEPT=take-.*protect the voice's resource/,
  );
  expect(await life.asked({ stack: 1 })).toEqual(["take"]);
  await life.ok({ do: "destroy" });
  expect([life.billed, life.voices]).toEqual([1, []]);
});

test("a voice that the account lacks is an error, at the preview too", async () => {
  const life = new Life();
  await life.do(add("a"));
  life.program()[0]!.adopt = "svc-tts-vc-nobody-voice-20260101000000000-0000";
  expect((await life.run({ do: "preview" })).errors.join()).toContain("the account's list shows no voice");
  expect((await life.run()).errors.join()).toContain("adopt");
});

test("what has left the state of one resource can be adopted by another, and stays with it", async () => {
  const life = new Life();
  await life.do(add("a"));
  await life.ok();
  const [voice] = life.voices;
  await life.do({ do: "adopt", stack: 0, name: "b", from: "a" });
  await life.asked();
  await life.ok();
  await life.do(change("b", { trigger: 0 }));
  await life.ok({ do: "destroy" });
  expect(life.voices).toEqual([voice]);
});
