import { CloudVoiceError } from "../../provider/src/errors";
import type { HttpResponse } from "../../provider/src/service/http";
import { Outage } from "../../provider/src/service/retry";
import { type CallContext, sendRequest, type SuccessResponse } from "../../provider/src/service/send-request";
import { distinct, fieldsIn, isText, onlyValue } from "../../provider/src/service/responses/forms";
import { Throttle } from "../../provider/src/service/throttle";
import { fakeClock, sending } from "../support/service";

const apiKey = "sk-canary-key";

/** The error of a billed request to which a server gives this response. */
async function errorOf(
  { status, body, headers = {} }: { status: number; body: string; headers?: HttpResponse["headers"] },
  secret = false,
): Promise<CloudVoiceError> {
  const clock = fakeClock();
  const log = () => undefined;
  const context: CallContext = {
    interfaceName: "voices",
    clock,
    log,
    throttle: new Throttle({ name: "voices", clock, maxConcurrency: 1, maxWaitMs: 0, log }),
    apiKey: () => apiKey,
    maxRetries: 0,
    outage: new Outage(),
    http: {
      send: () => Promise.resolve({ status, headers, body }),
      open: () => Promise.reject(new Error()),
      close: () => Promise.resolve(),
    },
  };
  const read = ({ json }: SuccessResponse) => ({
    voice: onlyValue("voice", distinct(fieldsIn(json, "voice"), isText)),
  });
  const request = { purpose: "testing", action: "create", method: "POST", url: "http://x" } as const;
  const rest = { read, billed: sending, secret };
  return sendRequest(context, { ...request, ...rest }).then(
    () => Promise.reject(new Error("the request succeeded")),
    (error: unknown) => (CloudVoiceError.is(error) ? error : Promise.reject(error as Error)),
  );
}

function rejection(message: string, code = "InvalidParameter", requestId = "r-1") {
  return { status: 400, body: JSON.stringify({ code, message, request_id: requestId }) };
}

test("an error shows the whole reason of the service when no input is secret", async () => {
  const message = `choice, score and low are not supported: ${"a long reason ".repeat(100)}`.trim();
  expect((await errorOf(rejection(message))).reason).toBe(message);
});

test("with a secret input, an error shows only status, code and request id", async () => {
  const error = await errorOf(rejection("not fit: a canary that sings", "DataInspectionFailed"), true);
  expect([error.message, error.stack, error.reason].join()).not.toMatch(/canary/);
  expect(error.message).toBe(
    "testing failed: the service's reason is not shown, because it may quote a secret input " +
      "(HTTP 400, DataInspectionFailed, request id r-1)",
  );
});

test("an unexpected form is described by the names of its fields, never by a value", async () => {
  const json = { output: { name: "canary", rows: [{ id: "canary" }] }, usage: { count: 1 }, request_id: "r-1" };
  const error = await errorOf({ status: 200, body: JSON.stringify(json) });
  expect(error.reason).toMatch(
    /^the response has an unexpected form: it has output\{name, rows\[id\]\}, usage\{count\}, request_id; expected voice/,
  );
  expect(error.message).not.toContain("canary");
});

test("an error contains no line breaks and no control characters from the service", async () => {
  const message = "first\n\u001b]0;title\u0007second\u2028third";
  const error = await errorOf(rejection(message, "Bad\u001b[31m", "r\u0007"));
  expect([error.message, error.reason, error.code, error.requestId].join()).not.toMatch(/[\p{Cc}\p{Zl}]/u);
});

test("an error shortens a reason that never ends", async () => {
  expect((await errorOf(rejection("ab ".repeat(100_000)))).reason.length).toBeLessThan(4010);
});
