import type { CloudVoiceError } from "../../provider/src/errors";
import { respondingWith } from "../support/any-form";
import { sending } from "../support/service";

/** The error of a create to which a server gives this response. */
async function errorOf({ status, body }: { status: number; body: string }, secret = false): Promise<CloudVoiceError> {
  const voice = { targetModel: "m", preferredName: "a", audio: { url: "https://a.example/a.wav" }, secret };
  return respondingWith(body, { status })
    .voices.create(voice, sending)
    .then(
      () => Promise.reject(new Error("the request succeeded")),
      (error: unknown) => error as CloudVoiceError,
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
    "creating the voice failed: the service's reason is not shown, because it may quote a secret input " +
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
