import { gzipSync } from "node:zlib";
import { LostAnswerError, RejectedError } from "../../provider/src/errors";
import { waitForTask } from "../../provider/src/service/images/wait";
import { withRetries } from "../../provider/src/service/retry";
import { apiKey, respondingWith } from "../support/any-form";
import { serve } from "../support/serve";
import { connected, fakeClock, sending } from "../support/service";
import { calls, voice } from "./calls";

/** Responses and clocks that say less, or something else, than they seem to. */

test("a server that may compress is asked not to", async () => {
  const { url, requests } = await serve((request, response) => {
    const body = JSON.stringify({ voices: [], request_id: "r", count: 0 });
    const isPlain = request.headers["accept-encoding"] === "identity";
    response.writeHead(200, { "content-type": "application/json", ...(!isPlain && { "content-encoding": "gzip" }) });
    response.end(isPlain ? body : gzipSync(body));
  });
  const { voices } = connected({ url, apiKey }, { maxRetries: "0" });
  expect(await voices.listPage(0, 1)).toMatchObject({ voices: [] });
  expect(requests[0]?.headers["accept-encoding"]).toBe("identity");
});

test.each([
  ["X-GZIP", gzipSync],
  ["identity,GZIP", gzipSync],
])("a response that a gateway compressed all the same is read, also an error: %s", async (encoding, compress) => {
  let status = 200;
  const body = () => JSON.stringify(status === 200 ? { voices: [], count: 0 } : { code: "Denied", message: "Never." });
  const { url } = await serve((_, response) => {
    response.writeHead(status, { "content-type": "application/json", "content-encoding": encoding });
    response.end(compress(body()));
  });
  const { voices } = connected({ url, apiKey }, { maxRetries: "0" });
  expect(await voices.listPage(0, 1)).toMatchObject({ voices: [] });
  status = 409;
  await expect(voices.create(voice, sending)).rejects.toMatchObject({ code: "Denied", reason: "Never." });
});

test("a compressed response that is cut is a lost one", async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(gzipSync("{}").subarray(0, 12));
  });
  const { voices } = connected({ url, apiKey }, { maxRetries: "0" });
  await expect(voices.create(voice, sending)).rejects.toMatchObject({ name: "LostAnswerError", billed: "unknown" });
});

test.each<[string, Record<string, string>]>([
  ["no type", { "content-type": "" }],
  ["another type", { "content-type": "text/plain" }],
])(
  "a cut response of success with %s may have been billed, whatever codes are in it, and is not sent again",
  async (_, headers) => {
    const answers = '{"answers":{"q":{"type":"choice","choice":"Throttling.RateQuota","confide';
    const service = respondingWith(answers, { headers }, { maxRetries: "5" }, 900_000);
    await expect(calls.decide(service)).rejects.toMatchObject({ name: "UnexpectedAnswerError", billed: "unknown" });
    expect(service.sent).toHaveLength(1);
  },
);

test("a look-up that is refused is not repeated beyond the time-out, and never without a wait", async () => {
  const clock = fakeClock();
  let polls = 0;
  const client = { poll: () => (polls++, Promise.reject(new RejectedError("no such task", { status: 404 }))) };
  const options = {
    client,
    secret: false,
    clock,
    pollMs: 10_000,
    timeoutMs: 25_000,
    settleMs: 60_000,
    log: () => undefined,
  };
  await expect(waitForTask("t", "PENDING", options)).rejects.toThrow("no such task");
  expect([polls, clock.slept]).toEqual([3, [10_000, 10_000, 5000]]);
});

test.each([
  ["json", { echo: `accept: */*; ${"x".repeat(50)}; authorization: Bearer ${apiKey}` }, 400],
  ["page", `<html><pre>${"x".repeat(470)}\nauthorization: Bearer ${apiKey}</pre></html>`, 502],
])("a key at the edge of what is shown of a %s is removed whole", async (_, body, status) => {
  const error = await respondingWith(body, { status })
    .voices.create(voice, sending)
    .catch((thrown: unknown) => thrown as Error);
  expect((error as Error).message).not.toContain(apiKey.slice(0, 6));
});

test("a wait that is cancelled says what may have been billed", async () => {
  const clock = { ...fakeClock(), sleep: () => Promise.reject(new Error("cancelled")) };
  const lost = new LostAnswerError("lost", { billed: "unknown" });
  await expect(
    withRetries(
      { maxRetries: 1, clock },
      () => Promise.reject(lost),
      () => true,
    ),
  ).rejects.toBe(lost);
});
