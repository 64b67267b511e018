import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import type { Props } from "../../provider/src/pulumi/provider/lifecycle";
import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { kept } from "../support/kept";
import { newOperation } from "../support/operation";
import { inProgramFolder } from "../support/program-folder";

/** The life cycle as the engine calls it, in this process and on the emulator: one task, whatever fails after it. */

inProgramFolder();
let emulator: Emulator;
beforeEach(async () => {
  emulator = await emulate();
});

const lifecycle = () => newOperation(emulator).image;

const image = (changes: Props = {}): Props => ({
  model: "svc-image",
  prompt: "A whale",
  label: "cover-863a",
  ...changes,
});
const none: ReadonlySet<string> = new Set();
const submissions = () => emulator.summary().calls.submit;

/** The name of the first image's file. It contains the hash of the content. */
const nameIn = (outs: Props) => basename((outs.images as { file: string }[])[0]!.file);

test("an input that is taken out is out: the next preview is empty", async () => {
  const { id, outs } = await lifecycle().create(image({ timeoutSeconds: 60 }));
  expect(await lifecycle().diff(id, outs, image(), none)).toEqual({ replaces: [], updates: true });
  const updated = await lifecycle().update(id, outs, image());
  expect(updated.outs).not.toHaveProperty("timeoutSeconds");
  expect(await lifecycle().diff(id, updated.outs, image(), none)).toEqual({ replaces: [], updates: false });
});

// test/corpus/task has more forms.
test.each([
  [
    "without images",
    (answer: string) => answer.replace(/"results":\[.*?\]/, '"results":[]'),
    /which has .*task_status.*results\[\]/,
    [],
  ],
  [
    "with images of an unknown form",
    (answer: string) => answer.replace(/"url":/g, '"seed_of":').replaceAll("http://", "x://"),
    /which has .*seed_of/,
    [{ error: expect.stringMatching(/^image 1 is described in an unexpected form: it has seed_of/) as string }],
  ],
])(
  "a task that succeeded %s succeeds, keeps its response, and warns of the fields, without another task",
  async (_, change, fields, images) => {
    const service = await inFrontOf(emulator, ({ request, answer }) =>
      request.url?.startsWith("/api/v1/tasks/") ? { answer: change(answer) } : undefined,
    );
    const { image: work, lines } = newOperation(service);
    const { id, outs } = await work.create(image({ saveTo: "covers" }));
    expect(outs).toMatchObject({ taskStatus: "SUCCEEDED", images, taskOutput: { output: { task_id: id } } });
    const warning = new RegExp(
      `no image was recognised in its response, ${fields.source}.*The response is kept as the output taskOutput`,
    );
    expect(lines.filter((line) => line.includes("warning"))).toEqual([expect.stringMatching(warning)]);
    expect(await work.diff(id, outs, image({ saveTo: "covers" }), none)).toEqual({ replaces: [], updates: false });
    expect(await work.read(id, outs)).toEqual(outs);
    expect(submissions()).toBe(1);
  },
);

test("another folder that could not be filled is tried again by the next update", async () => {
  const { id, outs } = await lifecycle().create(image({ saveTo: "one" }));
  rmSync("one", { recursive: true });
  emulator.setFaults([{ kind: "500", on: ["download"] }]);
  const { outs: half } = await kept(lifecycle().update(id, outs, image({ saveTo: "two" })));
  expect(half).toMatchObject({ saveTo: "one", images: outs.images });

  emulator.setFaults([]);
  expect(await lifecycle().diff(id, half, image({ saveTo: "two" }), none)).toEqual({ replaces: [], updates: true });
  const { outs: whole } = await lifecycle().update(id, half, image({ saveTo: "two" }));
  expect(whole.images).toEqual([expect.objectContaining({ file: `two/${nameIn(outs)}` })]);
  expect(existsSync(join("two", nameIn(outs)))).toBe(true);
  expect(submissions()).toBe(1);
});

test("a picture that can't be read in its old place, and whose URL is dead, stays named by the state", async () => {
  const { id, outs: made } = await lifecycle().create(image({ saveTo: "one" }));
  const outs: Props = { ...made, expiresAt: new Date(Date.now() - 1000).toISOString() };
  emulator.advance(48 * 3600 * 1000);
  const name = nameIn(made);
  renameSync(join("one", name), "kept.png");
  mkdirSync(join("one", name));
  const { outs: half, message } = await kept(lifecycle().update(id, outs, image({ saveTo: "two" })));
  expect(message).toMatch(/reading the picture from saveTo failed: what stands in its place is no file/);
  expect(half).toMatchObject({ saveTo: "one", images: outs.images });

  rmSync("one", { recursive: true });
  mkdirSync("one");
  renameSync("kept.png", join("one", name));
  const { outs: whole } = await lifecycle().update(id, half, image({ saveTo: "two" }));
  expect(whole.images).toEqual([expect.objectContaining({ file: `two/${name}` })]);
  expect(existsSync(join("two", name))).toBe(true);
});

test("an empty list of triggers is none", async () => {
  const { id, outs } = await lifecycle().create(image());
  expect(await lifecycle().diff(id, outs, image({ triggers: [] }), none)).toEqual({ replaces: [], updates: false });
});
