import { readdirSync, readFileSync, rmSync } from "node:fs";
import type { Emulator } from "../../provider/emulator";
import type { Props } from "../../provider/src/pulumi/provider/lifecycle";
import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { newOperation } from "../support/operation";
import { picture } from "../support/pictures";
import { inProgramFolder } from "../support/program-folder";

/** A picture that stands in the response itself, in base64: nothing but a look-up of its task has it. */

inProgramFolder();
let emulator: Emulator;
beforeEach(async () => {
  emulator = await emulate();
});

const base64 = picture.toString("base64");
const none: ReadonlySet<string> = new Set();
const inputs = (changes: Props = {}): Props => ({
  ...{ model: "svc-image", prompt: "A whale", label: "cover-863a863a863a863a" },
  ...changes,
});
const file = (folder: string) => readFileSync(`${folder}/${readdirSync(folder).join()}`);

// test/corpus/task has other forms of such a picture.
async function setUp() {
  const polls = { count: 0 };
  const front = await inFrontOf(emulator, ({ request, answer }) => {
    if (!request.url?.includes("/tasks/")) return undefined;
    polls.count++;
    return { answer: answer.replace(/"url":"[^"]*"/, `"b64_image":"${base64}"`) };
  });
  return { polls, work: () => newOperation(front) };
}

test("it is saved where saveTo says, and neither the state nor a log line has it", async () => {
  const { work } = await setUp();
  const { image, lines } = work();
  const { id, outs } = await image.create(inputs({ saveTo: "covers" }));
  expect(file("covers")).toEqual(picture);
  expect(outs.images).toMatchObject([{ width: 64, height: 48, file: expect.stringMatching(/^covers\//) as string }]);
  expect((outs.images as object[])[0]).not.toHaveProperty("url");
  expect(JSON.stringify([outs, lines])).not.toContain(base64.slice(0, 60));
  expect(lines.join()).not.toMatch(/warning: cover: the picture/);
  expect(await work().image.diff(id, outs, inputs({ saveTo: "covers" }), none)).toEqual({
    replaces: [],
    updates: false,
  });
});

test("a refresh saves it again if its file is lost, from another look-up of the task", async () => {
  const { work, polls } = await setUp();
  const { id, outs } = await work().image.create(inputs({ saveTo: "covers" }));
  rmSync("covers", { recursive: true });
  const before = polls.count;
  expect(await work().image.read(id, outs)).toEqual(outs);
  expect([file("covers"), polls.count, emulator.summary().tasks]).toEqual([picture, before + 1, 1]);
});

test("without saveTo there is one warning, and setting it saves the picture at no cost", async () => {
  const { work } = await setUp();
  const { image, lines } = work();
  const { id, outs } = await image.create(inputs());
  expect(lines.filter((line) => line.includes("came in the response itself"))).toEqual([
    expect.stringMatching(/warning: cover: .*no URL\. Set saveTo within a day.*at no cost/),
  ]);
  const kept = inputs({ saveTo: "covers" });
  expect(await work().image.diff(id, outs, kept, none)).toMatchObject({ replaces: [], updates: true });
  const { outs: saved } = await work().image.update(id, outs, kept);
  expect(saved.images).toMatchObject([{ file: expect.stringMatching(/^covers\//) as string }]);
  expect([file("covers"), emulator.summary().tasks]).toEqual([picture, 1]);
});
