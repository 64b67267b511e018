import { z } from "zod";
import { CloudVoiceError } from "../../provider/src/errors";
import type { HttpResponse } from "../../provider/src/service/http";
import { type CallContext, sendRequest } from "../../provider/src/service/send-request";
import { fakeClock } from "../support/service";

const apiKey = "sk-canary-key";

/** The error of a billed request to which a server gives this response. */
async function errorOf(
  { status, body, headers = {} }: { status: number; body: string; headers?: HttpResponse["headers"] },
  secretTexts: string[] = [],
): Promise<CloudVoiceError> {
  const context: CallContext = {
    clock: fakeClock(),
    apiKey: () => apiKey,
    maxRetries: 0,
    http: {
      send: () => Promise.resolve({ status, headers, body }),
      open: () => Promise.reject(new Error()),
      close: () => Promise.resolve(),
    },
  };
  const responseSchema = z.object({ voice: z.string() });
  const request = { operation: "testing", method: "POST", url: "http://x", responseSchema, billed: true } as const;
  return sendRequest(context, { ...request, secretTexts }).then(
    () => Promise.reject(new Error("the request succeeded")),
    (error: unknown) => (CloudVoiceError.is(error) ? error : Promise.reject(error as Error)),
  );
}

function rejection(message: string, code = "InvalidParameter", requestId = "r-1") {
  return { status: 400, body: JSON.stringify({ code, message, request_id: requestId }) };
}

test.each([
  ["that is cut short", '{"output":{"voice":"v', "ServiceError"],
  ["of an unknown form", '{"output":{"name":"v"}}', "UnexpectedAnswerError"],
  ["that is an array", "[]", "UnexpectedAnswerError"],
])("a successful response %s may have been billed", async (_, body, name) => {
  const error = await errorOf({ status: 200, body });
  expect(error).toMatchObject({ name, status: 200, billed: "unknown" });
  expect(error.message).toMatch(/^testing failed: .* \(HTTP 200\)\. This call may have been billed\. /);
});

test("a message states the operation, the reason and the facts, in this order", async () => {
  expect((await errorOf(rejection("No."))).message).toBe(
    "testing failed: No (HTTP 400, InvalidParameter, request id r-1)",
  );
});

test("an error never contains the key or audio data", async () => {
  const audio = `data:audio/wav;base64,${"QUJD".repeat(50)}`;
  const error = await errorOf(rejection(`bad key ${apiKey} for ${audio}`, `Bad.${apiKey}`, `r-${apiKey}`));
  const texts = [error.message, error.stack, error.reason, error.code, error.requestId].join();
  expect(texts).not.toMatch(/canary|QUJDQUJD/);
});

test.each([
  ["whole", "a canary that sings of money"],
  ["in part", "a canary that sings"],
  ["as a JSON string", JSON.stringify('a canary that\nsings "of money"')],
])("an error leaves out an input that the service quotes %s, and keeps code and request id", async (_, quoted) => {
  const secretTexts = ["a canary that sings of money", 'a canary that\nsings "of money"'];
  const error = await errorOf(rejection(`not fit: ${quoted}`, "DataInspectionFailed"), secretTexts);
  expect([error.message, error.stack, error.reason].join()).not.toMatch(/canary/);
  expect(error.message).toMatch(/\(HTTP 400, DataInspectionFailed, request id r-1\)$/);
});

test("an error leaves out the query of a signed URL, and shows another URL with the same beginning", async () => {
  const secretTexts = ["https://bucket.example/voices/a.wav?signature=canary", "?signature=canary"];
  const message = "no response from https://bucket.example within 5 s; the query was ?signature=canary";
  const error = await errorOf(rejection(message), secretTexts);
  expect(error.reason).toBe("no response from https://bucket.example within 5 s; the query was […]");
});

test("an error contains no line breaks and no control characters from the service", async () => {
  const message = "first\n\u001b]0;title\u0007second\u2028third";
  const error = await errorOf(rejection(message, "Bad\u001b[31m", "r\u0007"));
  expect([error.message, error.reason, error.code, error.requestId].join()).not.toMatch(/[\p{Cc}\p{Zl}]/u);
});

test("an error shortens a reason of any length", async () => {
  expect((await errorOf(rejection("ab ".repeat(1000)))).reason.length).toBeLessThan(610);
});
