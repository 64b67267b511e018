import { LostAnswerError } from "../../../provider/src/errors";
import { change, takeOut } from "../../simulation/commands";
import { questionsIn } from "../../support/questions-in";
import { add, Life } from "./life";

/** A killed run with its journal pays once, asks nothing, and deletes nothing that is in use. */

const victims = ["everything", "engine"] as const;
/** More events than an operation of one voice has. */
const moments = Array.from({ length: 34 }, (_, index) => index + 1);
const late = { listLagMs: 20_000, deletedLagMs: 20_000, workMs: 6000 };

describe.each([false, true])("a run is killed (without checkpoints: %s)", (withoutCheckpoints) => {
  test.each(moments)("at moment %s of a create in an empty account", async (afterEvents) => {
    for (const victim of victims) {
      const life = new Life({ service: late });
      await life.do(add("a"));
      await life.run({ kill: { afterEvents, victim }, withoutCheckpoints });
      await life.ok();
      await life.ok({ refresh: true });
      expect([life.billed, life.held(), life.violations]).toEqual([1, life.voices, []]);
    }
  });

  test.each(moments)("at moment %s of a replacement, also one that deletes first", async (afterEvents) => {
    for (const deleteBeforeReplace of [false, true]) {
      const life = new Life({ service: late });
      await life.do(add("a", { options: { deleteBeforeReplace } }), add("b"));
      await life.ok();
      await life.do({ do: "wait", seconds: 300 }, change("a", { content: 1 }));
      await life.run({ kill: { afterEvents, victim: "everything" }, withoutCheckpoints });
      await life.ok();
      await life.ok({ refresh: true });
      await life.do({ do: "wait", seconds: 300 });
      await life.ok({ refresh: true });
      expect([life.billed, life.held(), life.violations]).toEqual([3, life.voices, []]);
    }
  });
});

test("a create that was refused leaves no note, so the next run pays without a wait", async () => {
  const life = new Life();
  await life.do(add("a"));
  life.between = async (action, send) =>
    action === "create"
      ? { status: 400, headers: {}, body: JSON.stringify({ code: "Audio.PreprocessError", message: "no match" }) }
      : send();
  expect((await life.run()).end).toBe("failed");
  expect(life.notes.size).toBe(0);
  life.between = (_action, send) => send();
  await life.ok();
  expect([life.billed, life.log]).toEqual([1, expect.not.stringContaining("first looks for them")]);
});

describe("a response is lost", () => {
  const losing = (life: Life, times: number) => {
    life.between = async (action, send) => {
      const response = await send();
      if (action === "create" && times-- > 0) throw new LostAnswerError("the response was lost: reset");
      return response;
    };
  };

  test.each([0, 20_000])("the voice is used when a list shows it, %s ms late", async (listLagMs) => {
    const life = new Life({ service: { listLagMs } });
    await life.do(add("a"));
    losing(life, 1);
    await life.ok();
    expect([life.billed, life.held(), life.violations]).toEqual([1, life.voices, []]);
  });

  test("the voice is used although the list has another name for its model", async () => {
    const life = new Life();
    await life.do(add("a"));
    losing(life, 1);
    const lose = life.between;
    life.between = async (action, send) => {
      const response = await lose(action, send);
      return { ...response, body: response.body.replaceAll(/"svc3-tts-vc-[-0-9]*"/g, '"svc3-tts-vc"') };
    };
    await life.ok();
    expect([life.billed, life.held(), life.violations]).toEqual([1, life.voices, []]);
  });

  test("nothing is sent again while a list is not whole: a person is asked, and yes pays again", async () => {
    const life = new Life();
    life.byHand("other");
    await life.do(add("a"));
    life.between = async (action, send) => {
      const response = await send();
      if (action === "create") throw new LostAnswerError("the response was lost: reset");
      const json = JSON.parse(response.body) as { output?: { voice_list?: { voice: string }[]; total_count?: number } };
      const { voice_list: rows = [] } = json.output ?? {};
      const output = { ...json.output, voice_list: rows.filter(({ voice }) => !voice.includes("-a_")), total_count: 9 };
      const body = JSON.stringify({ ...json, output });
      return { ...response, body };
    };
    const { errors } = await life.run();
    expect(errors.join()).toMatch(/the account's list does not show that voice.*CLOUDVOICE_ACCEPT=pay-again-/i);
    expect(life.billed).toBe(1);
    // One yes is one payment, however many responses are lost.
    const accepts = [...questionsIn(errors.join())];
    const repeated = await life.run({ accepts });
    expect([...questionsIn(repeated.errors.join())]).toEqual(accepts);
    expect(life.billed).toBe(2);
    life.between = (_action, send) => send();
    await life.ok();
    expect(life.billed).toBe(2);
  });
});

test("after a lost create with a chosen name, the next run asks before it uses a voice of this name", async () => {
  const life = new Life({ settings: { maxRetries: "0" } });
  await life.do(add("a", { options: { chosenName: true } }));
  life.between = async (action, send) => {
    const response = await send();
    if (action !== "create") return response;
    // So nothing shows whose the next voice of this name is.
    for (const voice of life.voices) life.deleteByHand(voice);
    throw new LostAnswerError("the response was lost: reset");
  };
  expect((await life.run()).end).toBe("failed");
  life.between = (_action, send) => send();
  const others = life.byHand("chosen_a");
  const { errors } = await life.run();
  expect(errors.join()).toMatch(
    new RegExp(`${others}.*may have been created for this resource.*CLOUDVOICE_ACCEPT=take-`),
  );
  expect([life.held(), life.voices]).toEqual([[], [others]]);
});

test("a name that the program chooses later is that of a new voice, and the old one goes", async () => {
  const life = new Life();
  await life.do(add("a"));
  await life.ok();
  await life.do(change("a", { options: { chosenName: true } }));
  await life.ok();
  expect([life.billed, life.held(), life.violations]).toEqual([2, life.voices, []]);
  expect(life.voices).toEqual([expect.stringContaining("chosen_a-voice-")]);
});

test("a chosen name that looks like a generated one is refused before anything is paid", async () => {
  const life = new Life();
  await life.do(add("2025may", { options: { chosenName: true } }));
  expect((await life.run()).errors.join()).toMatch(/preferredName.*ends like a generated name/);
  expect(life.billed).toBe(0);
});

test("after a lost create, a new voice that only may have the chosen name is not paid for again without a question", async () => {
  const life = new Life();
  await life.do(add("a", { options: { chosenName: true } }));
  life.between = async (action, send) => {
    const response = await send();
    if (action === "create") throw new LostAnswerError("the response was lost: reset");
    return { ...response, body: response.body.replaceAll(/"[^"]*(chosen_a-voice-[^"]*")/g, '"svc_$1') };
  };
  for (const _run of ["the first", "a repetition"]) {
    const { errors } = await life.run();
    expect(errors.join()).toMatch(
      /new voice svc_chosen_a-voice-\S+, which may be this one.*CLOUDVOICE_ACCEPT=pay-again-/i,
    );
    expect(life.billed).toBe(1);
  }
});

test("if several new voices may be the one of a lost create, the question names each", async () => {
  const life = new Life();
  await life.do(add("a", { options: { chosenName: true } }));
  life.between = async (action, send) => {
    const response = await send();
    if (action === "create") {
      life.byHand("chosen_a");
      throw new LostAnswerError("the response was lost: reset");
    }
    return { ...response, body: response.body.replaceAll(/"[^"]*(chosen_a-voice-[^"]*")/g, '"svc_$1') };
  };
  const { errors } = await life.run();
  expect(errors.join()).toMatch(/it has the new voice (svc_chosen_a-voice-\S+, ){2}which may be this one/);
  expect(life.billed).toBe(1);
});

test("a success without a name, and a voice that may have the chosen name: the question names it, for adopt", async () => {
  const voiceName = { prefix: "vc_", stamp: "milliseconds", separator: "-", suffix: "5 digits" } as const;
  const life = new Life({ service: { dialect: { voiceName } } });
  await life.do(add("a", { options: { chosenName: true } }));
  life.between = async (action, send) => {
    const response = await send();
    return action === "create" ? { ...response, body: '{"message":"temporarily unavailable"}' } : response;
  };
  await life.run();
  const { errors } = await life.run();
  expect(errors.join()).toMatch(/it has the new voice vc_chosen_a-voice-\S+, which may be this one.*set adopt/);
  expect(life.billed).toBe(1);
});

describe("the journal was lost", () => {
  test("one question for all voices of the stack; yes uses them, and bills nothing", async () => {
    const life = new Life();
    await life.do(add("a"), add("b"));
    await life.ok();
    life.state().entries = [];
    life.notes.clear();
    expect(await life.asked()).toEqual(["take"]);
    expect([life.billed, life.held()]).toEqual([2, life.voices]);
    await life.do(takeOut("a"));
    await life.ok();
    expect(life.held()).toEqual(life.voices);
  });

  test("while the question is open, nothing else is paid for", async () => {
    const life = new Life();
    await life.do(add("a"));
    await life.ok();
    life.state().entries = [];
    life.notes.clear();
    await life.do(add("b"));
    const { errors } = await life.run({ parallel: 1 });
    expect([errors.join(), life.billed]).toEqual([expect.stringContaining("CLOUDVOICE_ACCEPT=take-"), 1]);
  });
});

test("a state that a preview has shown and that was lost is asked about; one that nobody has seen is not", async () => {
  const seen = new Life();
  await seen.do(add("a"));
  await seen.ok();
  await seen.ok({ do: "preview" });
  seen.state().entries = [];
  expect(await seen.asked()).toEqual(["take"]);
  const unseen = new Life();
  await unseen.do(add("a"));
  await unseen.ok();
  unseen.state().entries = [];
  await unseen.ok();
  expect([seen.billed, unseen.billed]).toEqual([1, 1]);
});

test("a chosen name says nothing of whose a voice is: the resource gets a voice of its own, and the other stays", async () => {
  const life = new Life();
  const other = life.byHand("chosen_a");
  await life.do(add("a", { options: { chosenName: true } }));
  await life.ok();
  expect([life.billed, life.voices.length]).toEqual([1, 2]);
  await life.ok({ do: "destroy" });
  expect(life.voices).toEqual([other]);
});

test("a killed create with a chosen name is found by its note", async () => {
  const life = new Life({ service: late });
  life.byHand("chosen_a");
  await life.do(add("a", { options: { chosenName: true } }));
  for (const afterEvents of [10, 12, 14]) await life.run({ kill: { afterEvents, victim: "everything" } });
  await life.ok();
  expect([life.billed, life.violations]).toEqual([1, []]);
});

test("a stack under the old name of a renamed one is asked, if a preview has seen the voices", async () => {
  const life = new Life();
  await life.do(add("a"));
  await life.ok();
  await life.ok({ do: "preview" });
  await life.do({ do: "rename-stack", stack: 0, reuse: true });
  const { errors } = await life.run();
  expect(errors.join()).toMatch(/set cloudvoice:namespace.*change triggers/);
  expect(life.billed).toBe(1);
});

test("two resources with one recording have two voices, and a renamed one keeps its own", async () => {
  const life = new Life();
  await life.do(add("a"), add("b"));
  await life.ok();
  const before = life.voices;
  await life.do({ do: "rename", stack: 0, name: "a", to: "c", alias: true });
  await life.ok();
  expect([life.billed, life.held(), life.voices]).toEqual([2, before, before]);
});

test("a killed job without a journal: the names of pending creates are evidence, so nothing is asked or billed again", async () => {
  const life = new Life({ service: late });
  await life.do(add("a"));
  await life.run({ kill: { afterEvents: 16, victim: "everything" } });
  life.notes.clear();
  const [pending] = life.state().pendingCreates;
  life.environment = { CLOUDVOICE_PENDING_CREATES: String(pending?.inputs.preferredName) };
  await life.ok({ refresh: true });
  expect([life.billed, life.held()]).toEqual([1, life.voices]);
});
