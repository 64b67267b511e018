import { type ChildProcess, fork, type ForkOptions } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { audioProblem, audioWarning } from "../../provider/src/rules/audio";
import { ApartProcess } from "../../provider/src/service/apart/apart";
import { audioInspector } from "../../provider/src/service/audio/inspect";
import { id3, mp3 } from "../media/mp3";
import { fragmentedMp4 } from "../media/endless";
import { box, mp4, numbers } from "../media/mp4";
import { put, recordings, root, temporaryFolder } from "../support/files";

/** Libraries read files of strangers in a process of their own, which is ended if they do not come to an end. */

const folder = temporaryFolder();
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A process of this program, in the place of the real one. */
function processOf(program: string, { execArgv = [], args = ["1000"] }: ForkOptions & { args?: string[] } = {}) {
  return () => {
    const child = fork(program, args, {
      serialization: "advanced",
      stdio: ["pipe", "ignore", "ignore", "ipc"],
      ...{ execArgv, env: {} },
    });
    started.push(child);
    return child;
  };
}
const programOf = (code: string) => processOf(put(folder, `${started.length}-${code.length}.js`, code));
const real = (more: string[] = [], args = ["1000"]) =>
  processOf(join(root, "provider/src/service/apart/program.ts"), { execArgv: ["--import", "tsx", ...more], args });

/** Tables of 47 samples, each with a shift of its time. */
const shiftedTables = (at: number) => [
  box("stts", numbers(0, 1, 47, 1024)),
  box("ctts", numbers(0, 1, 47, 0)),
  box("stsc", numbers(0, 1, 1, 47, 1)),
  box("stsz", numbers(0, 24, 47)),
  box("stco", numbers(0, 1, at)),
];

/** Resolves with the signal that ended the process. */
const ended = (child: ChildProcess) =>
  new Promise<NodeJS.Signals | null>((resolve) =>
    child.exitCode === null && child.signalCode === null
      ? child.once("exit", (_, signal) => resolve(signal))
      : resolve(child.signalCode),
  );

const loop = "process.on('message', () => { for (;;); });";
const honest = "process.on('message', ({ name }) => process.send({ value: { state: 'other', found: name } }));";
const file = Buffer.from("a file");

test("the process answers one file after the other, and reports what failed", async () => {
  const apart = new ApartProcess(real());
  const mp3File = readFileSync(recordings.mp3);
  const all = [apart.run("measure", mp3File), apart.run("knownKind", mp3File), apart.run("imageSize", file)];
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: { state: "audio", kind: "mp3", seconds: 14.258 } },
    { value: { extension: "mp3" } },
    { reason: { message: expect.stringMatching(/unsupported file type/i) as string } },
  ]);
  expect(started).toHaveLength(1);
});

test.each([
  ["that never ends", loop, 1],
  ["that ends its process, as without memory", "process.on('message', () => process.abort());", 10_000],
  ["whose process ends before it is asked", "process.exit(1);", 10_000],
  ["whose program can't be loaded", 'require("./none");', 10_000],
])("a file %s is stopped, and the next one is read by another process", async (_, code, ms) => {
  const starts = [programOf(code), programOf(honest)];
  const apart = new ApartProcess(() => starts.shift()!(), { ms, stops: 3 });
  expect(await apart.run("measure", file)).toBeUndefined();
  await ended(started[0]!);
  // Its time does not matter here.
  const other = new ApartProcess(() => starts.shift()!(), { ms: 10_000, stops: 3 });
  expect(await (ms === 1 ? other : apart).run("measure", file)).toEqual({ state: "other", found: "measure" });
});

test("memory without an end ends the process, and not this one", async () => {
  const code = "process.on('message', () => { const all = []; for (;;) all.push(all.length); });";
  const program = put(folder, "memory.js", code);
  const apart = new ApartProcess(processOf(program, { execArgv: ["--max-old-space-size=32"] }));
  expect(await apart.run("measure", file)).toBeUndefined();
});

test("a system that allows no other process leaves files unread", async () => {
  const start = jest.fn(() => {
    throw new Error("EAGAIN");
  });
  expect(await new ApartProcess(start).run("measure", file)).toBeUndefined();
});

test("after three files that had to be stopped, no other one is tried", async () => {
  const start = jest.fn(programOf(loop));
  const apart = new ApartProcess(start, { ms: 1, stops: 3 });
  for (let count = 0; count < 5; count++) expect(await apart.run("measure", file)).toBeUndefined();
  expect(start).toHaveBeenCalledTimes(3);
});

test("the process ends with the one that started it, also while a library computes", async () => {
  const code = "const { send } = process; process.send = (answer) => { send.call(process, answer); for (;;); };";
  const apart = new ApartProcess(real(["--require", put(folder, "computing.cjs", code)]));
  expect(await apart.run("knownKind", readFileSync(recordings.mp3))).toMatchObject({ extension: "mp3" });
  // As when its parent is killed.
  started[0]!.stdin?.destroy();
  expect(await ended(started[0]!)).toBe("SIGKILL");
});

test.each([
  ["stts", 12, mp4({ seconds: 2, tables: shiftedTables })],
  ["trun", 8, fragmentedMp4(47, 1)],
])("an MP4 file whose table %s claims 4,294,967,295 samples ends the process", async (type, place, bytes) => {
  bytes.writeUInt32BE(0xffffffff, bytes.indexOf(type) + place);
  const apart = new ApartProcess(real(["--max-old-space-size=64"]));
  expect(await apart.run("measure", bytes)).toBeUndefined();
});

test("the process ends when it has too much memory outside the heap, also while a library computes", async () => {
  const child = real([], ["1"])();
  expect(await ended(child)).toBe("SIGKILL");
});

test.each([
  ["MP3", mp3()],
  ["MP3 behind a tag", Buffer.concat([id3(5000), mp3()])],
  ["MP4", mp4()],
  ["MP4 without a brand", mp4({ brand: undefined })],
])("a recording in %s at which the libraries were stopped has an unknown length: a warning", async (name, bytes) => {
  const stopped = audioInspector({ run: () => Promise.resolve(undefined) });
  const facts = await stopped(put(folder, name, bytes));
  expect(audioProblem(facts)).toBeUndefined();
  expect(audioWarning(facts)).toBe(
    "is unusual: its length is not known, because measuring it took too much time or memory. The service decides about it",
  );
});

test("another file at which the libraries were stopped is refused, because it is not known what it is", async () => {
  const stopped = audioInspector({ run: () => Promise.resolve(undefined) });
  const problem = audioProblem(await stopped(put(folder, "other", Buffer.from("fLaC and more"))));
  expect(problem).toMatch(/^can't be read: measuring it took too much time or memory\. Give a WAV, MP3 or MP4 file/);
});
