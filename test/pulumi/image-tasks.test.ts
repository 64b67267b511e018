import type { Emulator } from "../../provider/emulator";
import type { Props } from "../../provider/src/lifecycle/lifecycle";
import { emulate } from "../support/emulate";
import { type Exchange, inFrontOf } from "../support/in-front";
import { kept } from "../support/kept";
import { newOperation, questionsIn } from "../support/operation";
import { inProgramFolder } from "../support/program-folder";
import { connected, fakeClock, sending } from "../support/service";

/** An image task that ends badly, late or in part: it is billed once, and only a task that failed is replaced. */

inProgramFolder();
let emulator: Emulator;
beforeEach(async () => {
  emulator = await emulate();
});

type Service = Pick<Emulator, "url" | "apiKey">;
/** Soon no look-up counts as one that comes too early. */
const soon = (service: Service, accepted: ReadonlySet<string> = new Set()) =>
  newOperation(service, { settleSeconds: "0.05", imagePrice: "0.04" }, { accepted });
const lifecycle = () => soon(emulator).image;
/** Polls as seldom as the service asks for, on a clock that takes no time. */
const patient = () => newOperation(emulator, { imagePollSeconds: "10" }, { clock: fakeClock() }).image;
const image = (changes: Props = {}): Props => ({
  model: "svc-image",
  prompt: "A whale",
  size: "64*48",
  label: "cover-0123456789abcdef",
  ...changes,
});
const identity = { urn: "urn:pulumi:dev::p::t::cover" };
const none: ReadonlySet<string> = new Set();
const submissions = () => emulator.summary().calls.submit;
/** The inputs as the engine passes them on from the check. */
const checked = async (
  { image: life }: Pick<ReturnType<typeof newOperation>, "image">,
  news: Props,
  olds: Props = {},
) => (await life.check(olds, { identity, ...news }, none)).inputs;
type Change = (answer: string) => string;
const withLookUps = (change: Change) =>
  inFrontOf(emulator, ({ request, answer }) =>
    request.url?.startsWith("/api/v1/tasks/") ? { answer: change(answer) } : undefined,
  );
const withSubmissions = (change: Change) =>
  inFrontOf(emulator, ({ request, answer }) => (request.method === "POST" ? { answer: change(answer) } : undefined));
const withId =
  (id: string): Change =>
  (answer) =>
    answer.replace(/"task_id":"[^"]*"/, id);
const withStatus =
  (status: string): Change =>
  (answer) =>
    answer.replace(/"task_status":"\w+"/, `"task_status":"${status}"`);
/** What is given to each look-up, while `isOdd`. */
const answeringWith = async (status: number, answer: object) => {
  const odd = { isOdd: true };
  const instead = ({ request }: Pick<Exchange, "request">) =>
    request.method === "GET" && odd.isOdd ? { status, answer: JSON.stringify(answer) } : undefined;
  return Object.assign(odd, await inFrontOf(emulator, () => undefined, instead));
};

test.each<[name: string, inputs: Props, limits: { timeoutSeconds?: number }]>([
  ["timeoutSeconds", { timeoutSeconds: 20 }, {}],
  ["customTimeouts", {}, { timeoutSeconds: 20 }],
])("a task that outlasts %s is kept, and the next update continues to wait for it", async (_, changes, limits) => {
  emulator.setImages({ finishAfterPolls: 1_000_000 });
  const news = image(changes);
  const { id, outs, message } = await kept(patient().create(news, limits));
  expect(message).toMatch(/is still RUNNING after 20 s\. The next update continues to wait.*kept, and not submitted/);
  expect(id).toBe(outs.taskId);

  emulator.setImages({ finishAfterPolls: 0 });
  expect(await lifecycle().diff(id, outs, news, none)).toEqual({ replaces: [], updates: true });
  expect(await lifecycle().read(id, outs)).toEqual(outs);
  const { outs: whole } = await lifecycle().update(id, outs, news);
  expect(whole).toMatchObject({ taskId: id, taskStatus: "SUCCEEDED", images: [{ width: 64 }] });
  expect(await lifecycle().diff(id, whole, news, none)).toEqual({ replaces: [], updates: false });
  expect(submissions()).toBe(1);
});

test("a task that fails during the create is reported and not saved", async () => {
  const work = lifecycle().create(image({ prompt: "A place [fail]" }));
  await expect(work).rejects.toThrow(
    /FAILED: Input may be inappropriate: A place \[fail\] \(DataInspectionFailed, request id .+\)\. .*submits another/,
  );
  await expect(work).rejects.not.toHaveProperty("outs");
});

// test/rules/image.test.ts has the statuses that are doubtful.
describe("a task that the service may not know", () => {
  const news = image({ prompt: "A place [unknown]" });
  let left: Awaited<ReturnType<typeof kept>>;
  beforeEach(async () => {
    const create = soon(emulator);
    left = await kept(create.image.create(await checked(create, news)));
  });

  test("is kept, and create, preview and update ask the same question", async () => {
    const { id, outs, message } = left;
    expect(outs).toMatchObject({ taskId: id, taskStatus: "UNKNOWN", images: [] });
    expect(message).toMatch(
      new RegExp(`^cover: .*task ${id} as UNKNOWN.*no new task is submitted until you decide.*\\$0\\.04`),
    );
    expect(message).toContain(`\`pulumi up --replace ${identity.urn}\` does the same.`);
    expect(questionsIn(message).size).toBe(1);
    const preview = soon(emulator);
    const inputs = await checked(preview, news, outs);
    expect(await preview.image.diff(id, outs, inputs, none)).toEqual({ replaces: [], updates: true });
    expect(questionsIn(preview.lines.join())).toEqual(questionsIn(message));
    const update = soon(emulator);
    const again = await kept(update.image.update(id, outs, await checked(update, news, outs)));
    expect([again.id, again.outs.taskId, questionsIn(again.message)]).toEqual([id, id, questionsIn(message)]);
    expect(submissions()).toBe(1);
  });

  test("is replaced once a person has said yes", async () => {
    const { id, outs, message } = left;
    const accepting = soon(emulator, questionsIn(message));
    const inputs = await checked(accepting, news, outs);
    expect(await accepting.image.diff(id, outs, inputs, none)).toEqual({ replaces: ["taskStatus"], updates: false });
    expect(accepting.lines.join()).toMatch(/cover: the request is sent again \(pay-again: accepted\)/);
    expect(submissions()).toBe(1);
  });

  test("is kept by a refresh, with a warning, and is no image to import", async () => {
    const { id, outs } = left;
    const refresh = soon(emulator);
    expect(await refresh.image.read(id, outs)).toEqual(outs);
    expect(refresh.lines).toEqual([
      expect.stringMatching(new RegExp(`warning: .*task ${id} as UNKNOWN.*The task is kept`)),
    ]);
    await expect(lifecycle().import(id)).rejects.toThrow(new RegExp(`reports the image task ${id} as UNKNOWN`));
  });
});

test("a task that says UNKNOWN at first is waited for, and submitted once", async () => {
  let polls = 0;
  const hesitating = await withLookUps((answer) => (polls++ < 3 ? withStatus("UNKNOWN")(answer) : answer));
  const { outs } = await newOperation(hesitating).image.create(image());
  expect(outs).toMatchObject({ taskStatus: "SUCCEEDED", images: [{ width: 64 }] });
  expect(submissions()).toBe(1);
});

test("a saved task that fails is replaced: a preview shows it, and an update that waited for it submits nothing", async () => {
  emulator.setImages({ finishAfterPolls: 1_000_000 });
  const news = image({ prompt: "A [fail]", timeoutSeconds: 20 });
  const { id, outs } = await kept(patient().create(news));
  emulator.setImages({ finishAfterPolls: 0 });
  expect(await lifecycle().diff(id, outs, news, none)).toEqual({ replaces: ["taskStatus"], updates: false });
  const failed = await kept(lifecycle().update(id, outs, news));
  expect(failed.message).toMatch(/ended as FAILED.*the next preview plans a replacement by a new task/);
  expect(await lifecycle().read(id, outs)).toMatchObject({ taskStatus: "FAILED" });
  expect(submissions()).toBe(1);
});

test.each(["reset-after", "reset-before", "500-after", "cut-json"] as const)(
  "a submission whose response was lost to %s is not repeated in the same run, and is reported",
  async (kind) => {
    emulator.setFaults([{ kind, on: ["submit"] }]);
    const { image: retrying } = newOperation(emulator, { maxRetries: "5" }, { clock: fakeClock() });
    await expect(retrying.create(image())).rejects.toThrow(/may have been billed/);
    expect(submissions()).toBe(1);
  },
);

// test/corpus/submitted has more forms.
test("a submission that was not understood is kept with what came, and replaced by adoptTask's task", async () => {
  const front = await withSubmissions(withId('"task_id":[1]'));
  const work = () => newOperation(front, {}, { clock: fakeClock() });
  const creating = work();
  // The state shows what came if no input is secret.
  const { id, outs, message } = await kept(creating.image.create(await checked(creating, image({ secretInputs: [] }))));
  expect(id).toMatch(/^unread-[0-9a-f]{12}$/);
  expect(outs).toMatchObject({ taskId: id, taskStatus: "UNREAD", images: [] });
  expect(JSON.stringify(outs.taskOutput)).toContain('"task_id":[1]');
  expect(message).toMatch(
    /may have been billed.*another task is submitted.*set adoptTask to it.*Output `taskOutput` has the response: /,
  );
  expect([questionsIn(message).size, submissions()]).toEqual([1, 1]);

  const { taskId: task } = await connected(emulator).images.submit({ model: "svc-image", prompt: "x" }, { sending });
  const adopting = work();
  const news = image({ adoptTask: task });
  expect(await adopting.image.diff(id, outs, await checked(adopting, news, outs), none)).toEqual({
    replaces: ["taskId"],
    updates: false,
  });
  const { outs: whole } = await adopting.image.create(await checked(adopting, news));
  expect([whole.taskId, submissions()]).toEqual([task, 2]);
});

test("of a submission that was not understood, what came is not kept with a secret input", async () => {
  const creating = newOperation(await withSubmissions(withId('"echo":"A whale"')), {}, { clock: fakeClock() });
  const { outs, message } = await kept(
    creating.image.create(await checked(creating, image({ secretInputs: ["saveTo"] }))),
  );
  expect(outs.taskOutput ?? "").toBe("");
  expect(message).not.toMatch(/whale/);
});

test("a create that is repeated in its own operation, as a hook may ask for, goes on with the task", async () => {
  const { image: own, lines } = newOperation(emulator, { maxRetries: "0" });
  emulator.setFaults([{ kind: "500", on: ["poll"], times: 2 }]);
  const { id } = await kept(own.create(image()));
  // Whatever ends the repetition, the engine saves the task.
  expect((await kept(own.create(image()))).id).toBe(id);
  expect((await own.create(image())).id).toBe(id);
  expect(lines.join("\n")).toContain(`goes on with the task ${id}`);
  expect(submissions()).toBe(1);
});

test("when some images of a task fail, the others are kept and the failed ones carry their error", async () => {
  const news = image({ n: 3, prompt: "A [partial] view" });
  const { id, outs } = await lifecycle().create(news);
  expect(outs.images).toEqual([
    expect.objectContaining({ width: 64 }),
    {
      error: "DataInspectionFailed: Output data may contain inappropriate content.",
      code: "DataInspectionFailed",
    },
    expect.objectContaining({ width: 64 }),
  ]);
  expect(await lifecycle().diff(id, outs, news, none)).toEqual({ replaces: [], updates: false });
});

// test/corpus/task has more forms.
test("a task with unknown images succeeds, keeps its response, and warns of the fields", async () => {
  const change: Change = (answer) => answer.replace(/"url":/g, '"seed_of":').replaceAll("http://", "x://");
  const { image: work, lines } = newOperation(await withLookUps(change));
  const { id, outs } = await work.create(image({ saveTo: "covers" }));
  const error = expect.stringMatching(/^image 1 is described in an unexpected form: it has seed_of/) as string;
  expect(outs).toMatchObject({
    taskStatus: "SUCCEEDED",
    images: [{ error }],
    taskOutput: { output: { task_id: id } },
  });
  const warning =
    /no image was recognised in its response, which has .*seed_of.*The output taskOutput keeps the response/;
  expect(lines.filter((line) => line.includes("warning"))).toEqual([expect.stringMatching(warning)]);
  expect(await work.diff(id, outs, image({ saveTo: "covers" }), none)).toEqual({ replaces: [], updates: false });
  expect(await work.read(id, outs)).toEqual(outs);
  expect(submissions()).toBe(1);
});

test("an input that is taken out is out: the next preview is empty", async () => {
  const { id, outs } = await lifecycle().create(image({ timeoutSeconds: 60 }));
  expect(await lifecycle().diff(id, outs, image(), none)).toEqual({ replaces: [], updates: true });
  const updated = await lifecycle().update(id, outs, image());
  expect(updated.outs).not.toHaveProperty("timeoutSeconds");
  expect(await lifecycle().diff(id, updated.outs, image(), none)).toEqual({ replaces: [], updates: false });
});

test("fifty images are submitted no faster than imageSubmitsPerSecond", async () => {
  const waits: number[] = [];
  // Polls take 10 ms.
  const sleep = (ms: number) => {
    if (ms > 10) waits.push(ms);
    return Promise.resolve();
  };
  const clock = { ...fakeClock(), now: () => 0, sleep };
  const { image: limited } = newOperation(emulator, { imageSubmitsPerSecond: "25" }, { clock });
  const images = Array.from({ length: 50 }, (_, trigger) => image({ triggers: [trigger] }));
  await Promise.all(images.map((each) => limited.create(each)));
  expect(submissions()).toBe(50);
  expect(waits.sort((one, other) => one - other)).toEqual(Array.from({ length: 49 }, (_, index) => 40 * (index + 1)));
});

test("inputs outside the usual bounds are warned about, and not rejected", async () => {
  const { image: checked, lines } = newOperation(emulator);
  expect((await checked.check({}, image(), none)).failures).toEqual([]);
  expect(lines).toEqual([
    expect.stringMatching(/warning: cover: the service was seen to generate the sizes .*, and not 64\*48/),
  ]);
});

describe("a poll that the service refuses, and whose refusal quotes the prompt,", () => {
  const hidden = /looking up the image task .* failed: the service's reason is not shown, .*DataInspectionFailed/;
  const shown = /looking up the image task .* failed: prompt 'canary' is refused \(HTTP 400, DataInspectionFailed\)/;
  const refusing = () => answeringWith(400, { code: "DataInspectionFailed", message: "prompt 'canary' is refused" });
  const news = image({ prompt: "A canary" });

  test.each<[what: string, passed: Props, message: RegExp]>([
    ["hides the reason from the failure of a secret prompt", { images: "", secretInputs: ["prompt"] }, hidden],
    ["hides the reason if any input is secret", { secretInputs: ["size"] }, hidden],
    ["shows the reason if no input is secret", {}, shown],
  ])("%s, in a create, in the next one and in an update", async (_, passed, message) => {
    const service = await refusing();
    const begun = async (more: Props = {}) => {
      const { image: life, lines } = soon(service);
      return { life, lines, inputs: await checked({ image: life }, { ...news, ...passed, ...more }) };
    };
    const first = await begun();
    const { id, outs, message: created } = await kept(first.life.create(first.inputs));
    expect(created).toMatch(message);
    // Its id is in the journal.
    for (const { life, inputs } of [await begun(), await begun({ adoptTask: id })])
      await expect(life.create(inputs)).rejects.toThrow(message);
    const update = await begun();
    expect((await kept(update.life.update(id, outs, update.inputs))).message).toMatch(message);

    const preview = await begun();
    preview.lines.length = 0;
    await preview.life.diff(id, outs, preview.inputs, none);
    expect(preview.lines).toEqual([expect.stringMatching(message)]);
  });

  test("hides the reason where nobody knows whether the prompt is secret", async () => {
    const service = await refusing();
    const { id, outs } = await kept(soon(service).image.create(news));
    const refresh = soon(service);
    await expect(refresh.image.read(id, outs)).rejects.toThrow(hidden);
    // A refresh compares too, without a check.
    await refresh.image.diff(id, outs, news, none);
    expect(refresh.lines).toEqual([expect.stringMatching(hidden)]);
    await expect(refresh.image.import(id)).rejects.toThrow(hidden);
  });
});

describe("a kept task whose look-up", () => {
  const running = async (news: Props) => {
    emulator.setImages({ finishAfterPolls: 1_000_000 });
    const left = await kept(patient().create({ ...news, timeoutSeconds: 20 }));
    emulator.setImages({ finishAfterPolls: 0 });
    return left;
  };

  test("says that it failed, with an error of the call, is replaced, from a state and from the journal", async () => {
    const output = { task_status: "FAILED", code: "DataInspectionFailed", message: "the prompt" };
    const service = await answeringWith(400, { output });
    const { id, outs } = await running(image());
    const work = () => soon(service).image;
    expect(await work().diff(id, outs, image(), none)).toEqual({ replaces: ["taskStatus"], updates: false });
    const { message: failed } = await kept(work().update(id, outs, image()));
    expect(failed).toMatch(/ended as FAILED: the prompt \(DataInspectionFailed.*\).*preview plans a replacement/);
    expect(await work().read(id, outs)).toMatchObject({ taskId: id });

    const other = image({ triggers: [2] });
    await expect(work().create(other)).rejects.toThrow(/ended as FAILED: the prompt/);
    service.isOdd = false;
    expect(submissions()).toBe(2);
    expect(await work().create(other)).toMatchObject({ outs: { taskStatus: "SUCCEEDED" } });
  });

  // test/corpus/task has more forms.
  test("finds nothing is kept: nothing is submitted before a person says yes", async () => {
    const service = await answeringWith(404, { error_code: "APIG.0101", error_msg: "no API at /api/v1/tasks" });
    const { id, outs } = await running(image());
    const work = () => soon(service).image;
    expect(await work().diff(id, outs, image(), none)).toEqual({ replaces: [], updates: true });
    const { id: same, message } = await kept(work().update(id, outs, image()));
    expect([same, message]).toEqual([
      id,
      expect.stringMatching(/as UNKNOWN.*no new task is submitted until you decide/),
    ]);
    expect(await work().read(id, outs)).toMatchObject({ taskId: id, taskStatus: outs.taskStatus });
    expect(submissions()).toBe(1);

    // While only the journal has a task, a create asks too, also one that is repeated.
    const other = image({ triggers: [2] });
    const first = await kept(work().create(other));
    const second = await kept(work().create(other));
    expect([second.id, second.outs.taskStatus, submissions()]).toEqual([first.id, "UNKNOWN", 2]);
    // The gateway is mended.
    service.isOdd = false;
    expect((await work().create(other)).id).toBe(first.id);
    expect((await work().update(id, outs, image())).outs).toMatchObject({ taskId: id, taskStatus: "SUCCEEDED" });
    expect(submissions()).toBe(2);
  });

  test("finds nothing is submitted again by a create that knows it from the journal, once a person has said yes", async () => {
    const service = await answeringWith(410, { message: "gone" });
    const create = async (accepted: ReadonlySet<string>) => {
      const work = soon(service, accepted);
      return kept(work.image.create(await checked(work, image())));
    };
    const { id, message } = await create(none);
    expect((await create(none)).id).toBe(id);
    expect(submissions()).toBe(1);
    expect((await create(questionsIn(message))).id).not.toBe(id);
    expect(submissions()).toBe(2);
  });

  test("is refused for another reason stays, and its message says how to submit another", async () => {
    const service = await answeringWith(400, { code: "InvalidParameter", message: "m" });
    const { id, outs } = await running(image());
    const how = /To submit a new task instead, which is billed, change triggers\./;
    const preview = soon(service);
    expect(await preview.image.diff(id, outs, image(), none)).toEqual({ replaces: [], updates: true });
    expect(preview.lines).toEqual([expect.stringMatching(how)]);
    expect((await kept(soon(service).image.update(id, outs, image()))).message).toMatch(how);
    expect(submissions()).toBe(1);
  });
});

test("a task with an id of 800 characters is gone on with, and is not paid for again", async () => {
  const long = "x".repeat(800);
  let polls: string[] = [];
  const service = await inFrontOf(
    emulator,
    ({ request, answer }) =>
      request.method === "POST" ? { answer: answer.replace(/"task_id":"[^"]*"/, `"task_id":"${long}"`) } : undefined,
    ({ request }) => {
      if (request.method !== "GET") return undefined;
      polls.push(request.url ?? "");
      return { status: 200, answer: '{"output":{"task_status":"RUNNING"}}' };
    },
  );
  for (let runs = 0; runs < 2; runs++) {
    const { image: work } = newOperation(service, { imagePollSeconds: "10" }, { clock: fakeClock() });
    expect((await kept(work.create(image({ timeoutSeconds: 20 })))).id).toBe(long);
  }
  polls = polls.filter((url) => !url.endsWith(`/${long}`));
  expect([polls, submissions()]).toEqual([[], 1]);
});

test("the import of a task that failed does not show the reason, because the prompt may be secret", async () => {
  const { images } = connected(emulator);
  const { taskId } = await images.submit({ model: "svc-image", prompt: "A canary [fail]" }, { sending });
  await expect(lifecycle().import(taskId)).rejects.toThrow(/ended as FAILED: the service's reason is not shown/);
});
