import { LostAnswerError } from "../../../provider/src/errors";
import { CancelledError } from "../../../provider/src/lifecycle/cancel";
import { Given } from "../../../provider/src/lifecycle/voice/given";
import { change, takeOut, type Command } from "../../simulation/commands";
import { add, Life } from "./life";

/** A delete removes what its resource created, and nothing else. */

const adopt = (name: string, from: string | undefined, stack = 0, keep = false): Command => ({
  ...{ do: "adopt", stack, name, from, keep },
});

test("an adopted voice stays, and one line names the command that deletes it", async () => {
  const life = new Life();
  const voice = life.byHand("guide_english");
  await life.do({ ...add("a"), stack: 0 } as Command);
  life.program()[0]!.adopt = voice;
  await life.ok();
  await life.ok({ do: "destroy" });
  expect([life.billed, life.voices]).toEqual([0, [voice]]);
  expect(life.log).toContain(
    `the voice ${voice} stays in the account: this stack adopted it and did not create it. To delete it, if nobody else ` +
      `uses it: npx --no-install pulumi-cloudvoice delete ${voice}`,
  );
});

test("two stacks adopt one voice: the destroy of one leaves it, and the other is unchanged", async () => {
  const life = new Life();
  const voice = life.byHand("guide_english");
  await life.do(add("a"), add("a", { stack: 1 }));
  for (const stack of [0, 1]) {
    life.program(stack)[0]!.adopt = voice;
    await life.ok({ stack });
  }
  await life.ok({ do: "destroy" });
  await life.ok({ stack: 1 });
  expect([life.billed, life.voices, life.held(1)]).toEqual([0, [voice], [voice]]);
});

test("an adopted voice whose recording changes: the new one is billed, and the old one stays and is named", async () => {
  const life = new Life();
  const voice = life.byHand("guide_english");
  await life.do(add("a"));
  life.program()[0]!.adopt = voice;
  await life.ok();
  delete life.program()[0]!.adopt;
  await life.do(change("a", { content: 2 }));
  await life.ok();
  expect([life.billed, life.voices.length]).toEqual([1, 2]);
  expect(life.log).toContain(`the voice ${voice} stays in the account`);
});

test("a voice that another resource adopts stays, also when its creator goes in the same update", async () => {
  const life = new Life();
  await life.do(add("a"));
  await life.ok();
  const [voice] = life.voices;
  await life.do(adopt("b", "a"));
  expect(await life.asked()).toEqual(["take"]);
  expect([life.billed, life.voices, life.held()]).toEqual([1, [voice], [voice]]);
});

test("a voice whose name contradicts the state stays", async () => {
  const life = new Life();
  await life.do(add("a"));
  await life.ok();
  const other = life.byHand("boss");
  Object.assign(life.state().entries[0]!, { id: other });
  await life.ok({ do: "destroy" });
  expect(life.voices).toContain(other);
  expect(life.log).toContain("its name contradicts the state");
});

test("a chosen name behind a prefix that ends like a name is no contradiction: the voice is deleted", async () => {
  const voiceName = { prefix: "vc_", stamp: "milliseconds", separator: "-", suffix: "5 digits" } as const;
  const life = new Life({ service: { dialect: { voiceName } } });
  await life.do(add("a", { options: { chosenName: true } }));
  await life.ok();
  expect(life.voices).toEqual([expect.stringMatching(/vc_chosen_a-voice-/)]);
  await life.ok({ do: "destroy" });
  expect(life.voices).toEqual([]);
});

test.each([true, false])("a destroy deletes all that the stack created (refresh: %s)", async (refresh) => {
  const life = new Life();
  await life.do(add("a"), add("b"));
  await life.ok();
  await life.ok({ do: "destroy", refresh });
  expect([life.voices, life.held(), life.notes.size]).toEqual([[], [], 0]);
});

test("two entries with one voice: it is deleted once, and nobody is asked", async () => {
  const life = new Life();
  await life.do(add("a"));
  await life.ok();
  const [entry] = life.state().entries;
  life.state().entries.push({ ...entry!, uid: -1, isOld: true });
  await life.ok({ do: "destroy" });
  expect(life.voices).toEqual([]);
});

test("an old copy with the voice of its resource goes, and the resource keeps the voice", async () => {
  const life = new Life();
  await life.do(add("a"));
  await life.ok();
  const [entry] = life.state().entries;
  life.state().entries.push({ ...entry!, uid: -1, isOld: true });
  await life.ok();
  expect([life.voices.length, life.held(), life.violations]).toEqual([1, life.voices, []]);
});

test("destroy and up while the list still shows the voice: nothing dead is used", async () => {
  const life = new Life({ service: { deletedLagMs: 30_000 } });
  await life.do(add("a"));
  await life.ok();
  await life.ok({ do: "destroy" });
  await life.ok();
  expect([life.billed, life.held()]).toEqual([2, life.voices]);
});

test("destroy and up with an id that does not contain the name: nothing dead is used, and no note is left", async () => {
  const life = new Life({ service: { deletedLagMs: 30_000 } });
  life.between = async (action, send) => {
    const response = await send();
    if (action !== "create") return response;
    const [voice] = /svc[^"]*-voice-[^"]*/.exec(response.body)!;
    const row = life.service.voices.get(voice)!;
    Object.assign(row, { voice: `vc-${life.billed}` });
    life.service.voices.delete(voice);
    life.service.voices.set(row.voice, row);
    return { ...response, body: response.body.replaceAll(voice, row.voice) };
  };
  await life.do(add("a"));
  await life.ok();
  await life.ok({ do: "destroy" });
  expect([life.voices, life.notes.size]).toEqual([[], 0]);
  await life.ok();
  expect([life.billed, life.held()]).toEqual([2, life.voices]);
});

test("a change and back, with the delete of the first voice refused: nothing live is deleted, and nothing is lost", async () => {
  const life = new Life();
  await life.do(add("a"));
  await life.ok();
  await life.do(change("a", { content: 1 }));
  life.between = async (action, send) =>
    action === "delete"
      ? { status: 403, headers: {}, body: JSON.stringify({ code: "AccessDenied", message: "not now" }) }
      : send();
  expect((await life.run()).end).toBe("failed");
  life.between = (_action, send) => send();
  await life.do(change("a", { content: 0 }));
  await life.ok();
  await life.ok({ refresh: true });
  expect([life.held(), life.violations]).toEqual([life.voices, []]);
});

test("after a cancel, no delete is sent, and the state keeps the voice", async () => {
  const life = new Life();
  await life.do(add("a"));
  await life.ok();
  life.assertNotCancelled = () => {
    throw new CancelledError();
  };
  const { errors } = await life.run({ do: "destroy" });
  expect(errors.join()).toContain("cancel");
  expect([life.voices.length, life.held()]).toEqual([1, life.voices]);
});

test("of two replacements that delete first, one exceeds the limit of billed requests: its voice stays", async () => {
  const life = new Life();
  const options = { deleteBeforeReplace: true };
  await life.do(add("a", { options }), add("b", { options }));
  await life.ok();
  await life.do(change("a", { content: 1 }), change("b", { content: 1 }));
  process.env.CLOUDVOICE_MAX_BILLED = "voices=1";
  const { errors } = await life.run();
  delete process.env.CLOUDVOICE_MAX_BILLED;
  expect(errors.join()).toContain("CLOUDVOICE_MAX_BILLED allows 1 voices");
  expect([life.billed, life.voices.length]).toEqual([3, 2]);
});

test("a repeated delete has the outcome of the first, and after a failure the next one deletes", async () => {
  const given = new Given();
  const requests: string[] = [];
  const failing = () => {
    requests.push("failing");
    return Promise.reject(new Error("refused"));
  };
  const both = [given.deleteOnce("voice", failing), given.deleteOnce("voice", failing)];
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const next = () => Promise.resolve(void requests.push("next"));
  await Promise.all([given.deleteOnce("voice", next), given.deleteOnce("voice", next)]);
  expect([requests, given.isFreeFor("voice", "any")]).toEqual([["failing", "next"], false]);
});

describe("a delete without a clear answer", () => {
  const started = async () => {
    const life = new Life();
    await life.do(add("a"), add("b"));
    await life.ok();
    await life.do(takeOut("a"));
    return life;
  };

  test("was done: two lists show it, and nobody is asked", async () => {
    const life = await started();
    life.between = async (action, send) => {
      const response = await send();
      if (action === "delete") throw new LostAnswerError("the response was lost: reset");
      return response;
    };
    await life.ok();
    expect([life.voices.length, life.held()]).toEqual([1, life.voices]);
  });

  test("was not done: the state keeps the voice, and the next update deletes it", async () => {
    const life = await started();
    life.between = (action, send) =>
      action === "delete" ? Promise.reject(new LostAnswerError("the response was lost: reset")) : send();
    expect((await life.run()).end).toBe("failed");
    expect(life.held()).toEqual(life.voices);
    life.between = (_action, send) => send();
    await life.ok();
    expect([life.voices.length, life.held()]).toEqual([1, life.voices]);
  });

  test("of the account's last voice is not asked about, although the list is empty then", async () => {
    const life = new Life();
    await life.do(add("a"));
    await life.ok();
    life.between = async (action, send) => {
      const response = await send();
      if (action === "delete") throw new LostAnswerError("the response was lost: reset");
      return response;
    };
    await life.ok({ do: "destroy" });
    expect([life.voices, life.held()]).toEqual([[], []]);
  });
});

test("with another key, a destroy that finds nothing asks about the account, and yes ends it", async () => {
  const life = new Life();
  await life.do(add("a"));
  await life.ok();
  life.deleteByHand(life.voices[0]!);
  life.byHand("other");
  life.set({ apiKey: "another-key" });
  expect(await life.asked({ do: "destroy" })).toEqual(["account"]);
  expect(life.held()).toEqual([]);
});
