import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { mp3 } from "../media/mp3";
import { put, recordings, temporaryFolder, wav } from "../support/files";
import { run } from "./command";

/** All recordings are judged at once, as a preview would judge them one by one. */

let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
});

interface Recording {
  file: string;
  verdict: string;
  reason?: string;
}

async function judged(...args: string[]): Promise<Recording[]> {
  const { out } = await run("check", "--json", ...args);
  return (JSON.parse(out) as { recordings: Recording[] }).recordings;
}

test("a table has every recording of a folder, and those inside, and the exit code is the worst verdict", async () => {
  put(folder, "a.wav", wav(12));
  expect(await run("check", folder)).toMatchObject({
    out: expect.stringMatching(/a\.wav.*accepted/) as string,
    code: 0,
  });
  put(folder, "de/b.mp3", mp3({ seconds: 20.2 }));
  expect((await run("check", folder)).code).toBe(2);
  put(folder, "de/c.flac", "fLaC\0\0\0\x22");
  put(folder, "notes.txt", "no recording");
  put(folder, ".hidden/d.wav", "");
  mkdirSync(join(folder, "empty.wav"));
  const { out, code } = await run("check", folder);
  expect(code).toBe(1);
  expect(out).toMatch(/warning: /);
  expect(out).toMatch(/refused: is FLAC/);
  expect(out).not.toMatch(/notes|hidden|empty/);
});

test("a path that can't be looked at is refused in words, and the others are checked", async () => {
  put(folder, "a.wav", wav(12));
  symlinkSync("loop.wav", join(folder, "loop.wav"));
  const [a, loop, below] = ["a.wav", "loop.wav", "a.wav/b.wav"].map((name) => join(folder, name));
  const reasons = (await judged(a!, loop!, below!)).map(({ reason }) => reason);
  expect(reasons).toEqual([
    undefined,
    "can't be read: too many symbolic links encountered (ELOOP)",
    expect.stringMatching(/^does not exist: the path is relative to the program's folder/),
  ]);
});

test("each recording has its kind, length, size once encoded, and verdict", async () => {
  const [speech, mp3] = await judged(recordings.wav, recordings.mp3);
  const bytes = expect.any(Number) as number;
  expect(speech).toMatchObject({ kind: "wav", seconds: 13.738, bytes, encodedBytes: bytes, verdict: "accepted" });
  expect(mp3).toMatchObject({ kind: "mp3", verdict: "accepted" });
});

test("a file that is missing is refused, and a folder without recordings is an error", async () => {
  expect(await judged(join(folder, "none.wav"))).toEqual([
    { file: join(folder, "none.wav"), verdict: "refused", reason: expect.stringMatching(/does not exist/) as string },
  ]);
  await expect(run("check", folder)).rejects.toThrow(/No recording was found/);
  await expect(run("check", folder, "--stack", "dev")).rejects.toThrow(/not both/);
});
