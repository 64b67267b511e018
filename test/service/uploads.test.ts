import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { longestRequestMs, type Upload, Uploads } from "../../provider/src/service/uploads";
import { undiciHttp } from "../../provider/src/service/http";
import { temporaryFolder } from "../support/files";
import { heldTimeouts } from "../support/held-timeouts";
import { listening } from "../support/serve";
import { connected, sending } from "../support/service";
import { until } from "../support/until";
import { voice } from "./calls";

afterEach(() => jest.restoreAllMocks());

const MB = 1_000_000;

/** Bodies of these sizes that are sent one after the other. Each is under way until it is ended. */
async function bodies(...sizes: number[]) {
  const uploads = new Uploads();
  const begun = new Map<number, Readonly<Upload>>();
  const ends = sizes.map((bytes, index) => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const run = uploads.run(bytes, (upload) => (begun.set(index, upload), ended));
    return () => (end(), run);
  });
  await tick();
  return { underWay: () => [...begun.keys()].sort(), begun, end: (index: number) => ends[index]?.() };
}

test("at most 8 MB of bodies are under way, in their order, and small ones never wait", async () => {
  const { underWay, end } = await bodies(5 * MB, 3 * MB, 2 * MB, MB / 2, 1000);
  expect(underWay()).toEqual([0, 1, 4]);
  await end(1);
  await until(() => underWay().length === 5);
});

test("a body of more than 8 MB is sent alone, but for small ones, and is not passed by others", async () => {
  const { underWay, end } = await bodies(1000, 1 * MB, 9 * MB, 1 * MB);
  expect(underWay()).toEqual([0, 1]);
  await end(1);
  await until(() => underWay().length === 3);
  expect(underWay()).toEqual([0, 1, 2]);
  await end(2);
  await until(() => underWay().length === 4);
});

test("a body counts all that share the line with it, also those that are started later", async () => {
  const { begun } = await bodies(1 * MB, 3 * MB);
  expect([...begun.values()].map(({ mostUnderWay }) => mostUnderWay)).toEqual([4 * MB, 4 * MB]);
  expect(longestRequestMs(60_000, 4 * MB)).toBe(140_000);
});

test("a request is given up only after the time-out and the upload of all bodies under way, whenever those began", async () => {
  const timeouts = heldTimeouts();
  const silent = createServer();
  const url = `http://${await listening(silent)}`;
  const http = undiciHttp({ requestTimeoutMs: 1000, maxConcurrency: 16 });
  let isOver = false;
  const send = (bytes: number) =>
    http.send({ method: "POST", url, headers: {}, body: () => "x".repeat(bytes) }).catch((error: unknown) => error);
  const first = send(1 * MB).finally(() => (isOver = true));
  await until(() => timeouts.length === 1);
  void send(2 * MB);
  await until(() => timeouts.length === 2);
  timeouts[0]?.end();
  expect(timeouts.map(({ ms }) => ms)).toEqual([21_000, 61_000, 40_000]);
  expect(isOver).toBe(false);
  timeouts[2]?.end();
  expect(await first).toMatchObject({
    name: "LostAnswerError",
    message: expect.stringMatching(/none came within 61 s for a request of 1\.0 MB/) as string,
  });
  await http.close();
});

/** A recording whose body is larger than the buffers of a connection. */
function largeRecording() {
  const path = join(temporaryFolder(), "large.wav");
  const content = Buffer.alloc(7 * MB);
  writeFileSync(path, content);
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { path, kind: "wav" as const, bytes: content.length, sha256 };
}

test("a body that does not get through whole is sent twice at most, with a line for each attempt, and is not billed", async () => {
  let connections = 0;
  const line = createTcpServer((socket) => {
    connections++;
    socket.once("data", () => socket.resetAndDestroy());
  });
  const url = `http://${await listening(line)}`;
  const lines: string[] = [];
  const service = connected({ url, apiKey: "k" }, {}, undefined, { log: (text) => lines.push(text) });
  const failure = service.voices.create({ ...voice, audio: largeRecording() }, sending);
  const said =
    /^creating the voice a failed: the request of 9\.3 MB did not get through to \S+ in [\d.]+ s \(.*\), so nothing was billed\. If .*raise cloudvoice:requestTimeoutSeconds/;
  await expect(failure).rejects.toMatchObject({ billed: "no", message: expect.stringMatching(said) as string });
  expect(lines).toEqual([expect.stringMatching(said)]);
  expect(connections).toBe(2);
});
