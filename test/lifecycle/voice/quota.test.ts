import { change } from "../../simulation/commands";
import { add, Life } from "./life";

/** What would not fit into the account, or what the program may have, is refused at the preview. */

test("an account without room is refused at the preview, with the numbers, and nothing is paid", async () => {
  const life = new Life({ service: { quota: 2 } });
  await life.do(add("a"), add("b"), add("c"));
  const { errors } = await life.run({ do: "preview" });
  expect(errors.join()).toMatch(/it has 0 voices.*create 3, and the update needs 3 at its peak; the quota is 2/);
  expect(life.billed).toBe(0);
});

test("the replacement of an adopted voice needs one more place, also with deleteBeforeReplace", async () => {
  const life = new Life({ service: { quota: 1 } });
  const voice = life.byHand("guide_english");
  await life.do(add("a", { options: { deleteBeforeReplace: true } }));
  life.program()[0]!.adopt = voice;
  await life.ok();
  delete life.program()[0]!.adopt;
  await life.do(change("a", { content: 1 }));
  const { errors } = await life.run({ do: "preview" });
  expect(errors.join()).toMatch(/needs 2 at its peak; the quota is 1/);
});

test("a replacement that deletes first needs no more room", async () => {
  const life = new Life({ service: { quota: 1 } });
  await life.do(add("a", { options: { deleteBeforeReplace: true } }));
  await life.ok();
  await life.do(change("a", { content: 1 }));
  await life.ok();
  expect([life.billed, life.held()]).toEqual([2, life.voices]);
});

test("a voice that the create will use needs no room", async () => {
  const life = new Life({ service: { quota: 1 } });
  await life.do(add("a"));
  await life.ok();
  life.state().entries = [];
  await life.ok();
  expect(life.billed).toBe(1);
});

test("stackQuota counts the voices that this process was told of, however many the account has", async () => {
  const life = new Life({ settings: { stackQuota: "2" } });
  for (const name of ["x", "y", "z"]) life.byHand(name);
  await life.do(add("a"), add("b"));
  await life.ok();
  await life.do(add("c"));
  const { errors } = await life.run();
  expect([errors.join(), life.billed]).toEqual([expect.stringContaining("cloudvoice:stackQuota is 2"), 2]);
});
