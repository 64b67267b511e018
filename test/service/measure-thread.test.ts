import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker, type WorkerOptions } from "node:worker_threads";
import { audioProblem, audioWarning } from "../../provider/src/rules/audio";
import { audioInspector } from "../../provider/src/service/audio/inspect";
import { measureInThread, memory } from "../../provider/src/service/audio/measure-thread";
import { fragmentedMp4 } from "../media/endless";
import { id3, mp3, mp3Frames, xing } from "../media/mp3";
import { box, mp4, numbers } from "../media/mp4";
import { put, recordings, root, temporaryFolder } from "../support/files";

/** Libraries read recordings of strangers in a thread, which is ended if they do not come to an end. */

const folder = temporaryFolder();
let started: Worker[] = [];
beforeEach(() => {
  started = [];
});
afterEach(() => Promise.all(started.map((worker) => worker.terminate())));

const threadOf =
  (code: string, options: WorkerOptions = {}) =>
  () => {
    const worker = new Worker(code, { eval: true, stdout: true, stderr: true, ...options });
    started.push(worker);
    return worker;
  };

/** The built program. */
let program = "";
beforeAll(() => {
  const source = join(root, "provider", "src", "service", "audio", "measure.ts");
  const build = ["--bundle", "--platform=node", "--format=cjs", source];
  program = execFileSync(join(root, "node_modules", ".bin", "esbuild"), build, { encoding: "utf8" });
});
const real = () => threadOf(program, { resourceLimits: memory })();

/** Tables of 47 samples, each with a shift of its time. */
const shiftedTables = (at: number) => [
  box("stts", numbers(0, 1, 47, 1024)),
  box("ctts", numbers(0, 1, 47, 0)),
  box("stsc", numbers(0, 1, 1, 47, 1)),
  box("stsz", numbers(0, 24, 47)),
  box("stco", numbers(0, 1, at)),
];

/** An MP4 file in which this number of a table claims 4,294,967,295 samples. */
function endless(type: string, place: number, bytes = mp4({ seconds: 2, tables: shiftedTables })): Buffer {
  bytes.writeUInt32BE(0xffffffff, bytes.indexOf(type) + place);
  return bytes;
}

const file = Buffer.from("a file");
const honest = `require("node:worker_threads").parentPort.on("message", () => {
  require("node:worker_threads").parentPort.postMessage({ state: "other", detail: "measured" });
});`;
const onMessage = (code: string) => `require("node:worker_threads").parentPort.on("message", () => { ${code} });`;

test("one thread measures one file after the other", async () => {
  const measure = measureInThread(real);
  const files = [recordings.mp3, recordings.m4a].map((path) => measure(readFileSync(path)));
  expect(await Promise.all(files)).toMatchObject([
    { state: "audio", kind: "mp3", seconds: 14.258 },
    { state: "audio", kind: "mp4", seconds: 14.461 },
  ]);
  expect(started).toHaveLength(1);
});

test.each([
  ["that never ends", onMessage("for (;;);"), {}],
  [
    "that needs memory without an end",
    onMessage("const all = []; for (;;) all.push(all.length);"),
    { resourceLimits: memory },
  ],
  ["at which the library fails", onMessage("throw new Error('failed');"), {}],
  ["whose thread ends before it is asked", "process.exit(1);", {}],
  ["whose program can't be loaded", 'require("./none");', {}],
])("a file %s is not measured, and the next one is measured by another thread", async (_, code, options) => {
  const starts = [threadOf(code, options), threadOf(honest)];
  const measure = measureInThread(() => starts.shift()!());
  expect(await measure(file)).toBeUndefined();
  expect(await measure(file)).toEqual({ state: "other", detail: "measured" });
});

test.each([
  ["stsc", 16, undefined],
  ["stts", 12, undefined],
  ["trun", 8, fragmentedMp4(47, 1)],
])("an MP4 file whose table %s claims 4,294,967,295 samples comes to an end", async (type, place, bytes) => {
  const measured = await measureInThread(real)(endless(type, place, bytes));
  expect([undefined, "audio", "cut-short"]).toContain(measured?.state);
});

test("however many files take too long, a later one is measured: one that is cut short is refused", async () => {
  const inspect = audioInspector(measureInThread(real));
  const all = mp3Frames({ seconds: 12 });
  const cut = Buffer.concat([xing(all.length), ...all.slice(0, all.length / 2)]);
  const names = ["a.m4a", "b.m4a", "c.m4a", "d.m4a"];
  const paths = names.map((name, index) =>
    put(folder, name, Buffer.concat([endless("trun", 8, fragmentedMp4(47, 1)), Buffer.alloc(index)])),
  );
  const facts = await Promise.all([...paths, put(folder, "cut.mp3", cut)].map(inspect));
  const last = facts.pop()!;
  for (const each of facts) {
    expect(audioProblem(each)).toBeUndefined();
    expect(audioWarning(each)).toMatch(/its length is not measured/);
  }
  expect(audioProblem(last)).toMatch(/cut short/);
});

test.each([
  ["MP3", mp3()],
  ["MP3 behind a tag", Buffer.concat([id3(5000), mp3()])],
  ["MP4", mp4()],
  ["MP4 without a brand", mp4({ brand: undefined })],
])("a recording in %s at which the thread was ended is not measured: a warning", async (name, bytes) => {
  const stopped = audioInspector(() => Promise.resolve(undefined));
  const facts = await stopped(put(folder, name, bytes));
  expect(audioProblem(facts)).toBeUndefined();
  expect(audioWarning(facts)).toBe(
    "is unusual: its length is not measured: measuring it took too much time or memory. The service decides about it",
  );
});

test("another file at which the thread was ended is refused, because it is not known what it is", async () => {
  const stopped = audioInspector(() => Promise.resolve(undefined));
  const problem = audioProblem(await stopped(put(folder, "other", Buffer.from("fLaC and more"))));
  expect(problem).toMatch(/^can't be read: measuring it took too much time or memory\. Give a WAV, MP3 or MP4 file/);
});
