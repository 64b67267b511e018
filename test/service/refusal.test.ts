import type { InterfaceName } from "../../provider/src/service/responses/codes";
import { classifyRefusal } from "../../provider/src/service/responses/error";
import { parseBody } from "../../provider/src/service/responses/json";
import type { HttpResponse } from "../../provider/src/service/http";

/** Of this machine, which is an hour late. */
const nowMs = Date.parse("2025-12-31T23:00:00Z");

function classify(
  status: number,
  body: string,
  headers: HttpResponse["headers"] = {},
  interfaceName: InterfaceName = "voices",
) {
  return classifyRefusal(
    { status, body, headers },
    { json: parseBody(body).json, nowMs, interfaceName, secret: false },
  );
}

const flat = (code: string) => JSON.stringify({ code, message: "No.", request_id: "r-1" });

/** The reason, the advice and what a whole page or body says: `test/corpus/error`. */
test.each<[status: number, body: string, name: string, billed: "no" | "unknown"]>([
  [302, "", "RejectedError", "no"],
  [400, "", "RejectedError", "no"],
  [401, "", "AuthenticationError", "no"],
  [429, "", "RateLimitError", "no"],
  [408, "", "ServiceError", "unknown"],
  [460, "", "ServiceError", "unknown"],
  [499, "", "ServiceError", "unknown"],
  [500, "", "ServiceError", "unknown"],
  // Its lost part may hold the code.
  [200, '{"code":"Throt', "ServiceError", "unknown"],
  [400, '{"code":"Throt', "ServiceError", "no"],
  [408, '{"code":"Throt', "ServiceError", "unknown"],
  [499, '{"code":"Throt', "ServiceError", "unknown"],
  [500, '{"code":"Throt', "ServiceError", "unknown"],
])("without a code, the status %i with the body %j decides: %s, billed: %s", (status, body, name, billed) => {
  expect(classify(status, body, { "content-type": "application/json" })).toMatchObject({ name, status, billed });
});

test.each<[name: string, billed: "no" | "unknown", statuses: number[], codes: string[]]>([
  [
    "QuotaError",
    "no",
    [400, 403, 429, 500, 503],
    [
      ...["LimitExceeded.Voice", "VoiceLimitExceeded", "MaxVoicesReached", "QuotaExceeded.Voice", "NoMoreVoices"],
      ...["Voice.Quota.Exceeded", "TooManyVoices", "InsufficientVoiceQuota", "MaximumNumberOfVoicesReached"],
      ...["ExceedQuota.CustomVoice", "VoiceNumExceed"],
    ],
  ],
  [
    // A balance, or a quota that is not said to be one of voices: the list decides whether the account is full.
    "RejectedError",
    "no",
    [400, 401, 403, 429],
    [
      ...["Throttling.AllocationQuota", "throttling_allocation_quota", "LIMIT_EXCEEDED", "Account.Full"],
      ...["ExceededQuota", "AllocationQuota.FreeTierOnly", "Arrearage", "INSUFFICIENT_BALANCE"],
      ...["billing_hard_limit_reached", "insufficient_user_quota"],
    ],
  ],
  ["RateLimitError", "no", [400, 429], ["Throttling", "Throttling.RateQuota", "TooManyRequests"]],
  ["AuthenticationError", "no", [400, 401, 403], ["InvalidApiKey", "AccessDenied.Unpurchased"]],
  ["NotFoundError", "no", [400, 404], ["BadRequest.VoiceNotFound", "InvalidParameter.ResourceNotExist"]],
  ["RejectedError", "no", [404], ["ModelNotFound"]],
  [
    "ServiceError",
    "unknown",
    [400, 500, 503],
    [
      "InternalError",
      "InternalError.Timeout",
      "RequestTimeOut",
      "SystemError",
      "ServiceUnavailable",
      "ModelServiceFailed",
    ],
  ],
])("is a %s, billed: %s, with the statuses %j, if the code is one of %j", (name, billed, statuses, codes) => {
  for (const status of statuses)
    for (const code of codes) expect(classify(status, flat(code))).toMatchObject({ name, status, billed, code });
});

test.each([
  ...["VoiceLengthLimitExceeded", "LimitExceeded.Audio", "RequestLimitExceeded", "ConcurrencyQuotaExceeded"],
  ...["TooManyRequests", "VoiceNotFound", "InvalidVoice", "QuotaExceeded.Requests", "VoiceError", "LimitExceeded.Qps"],
])("%s does not say that the account is full", (code) => {
  for (const status of [400, 429, 503]) expect(classify(status, flat(code)).name).not.toBe("QuotaError");
});

test.each(["images", "decisions"] as const)("an exhausted allocation is a rate limit for %s", (interfaceName) => {
  const error = classify(429, flat("Throttling.AllocationQuota"), {}, interfaceName);
  expect(error).toMatchObject({ name: "RateLimitError", billed: "no" });
});

test("the type of an error is its code if it has none, and the request id may be in a header", () => {
  const body = JSON.stringify({ error: { message: "No.", type: "invalid_request_error", code: null } });
  expect(classify(400, body, { "x-request-id": "h-1" })).toMatchObject({
    code: "invalid_request_error",
    requestId: "h-1",
  });
});

test("a body that is a plain text begins with its code, and a message in JSON is never searched for one", () => {
  const text = "InvalidApiKey: it differs";
  expect(classify(400, text)).toMatchObject({ code: "InvalidApiKey", name: "AuthenticationError", billed: "no" });
  const error = classify(400, JSON.stringify({ message: text, note: { text } }));
  expect(error).toMatchObject({ code: undefined, reason: text, name: "RejectedError", billed: "no" });
});

test.each([
  ["7", 7000],
  ["0.493", 493],
  ["Thu, 01 Jan 2026 00:00:09 GMT", 9000],
  ["1767225609", 9000],
  ["1767225609000", 9000],
  ["soon", undefined],
  ["1m30s", undefined],
  ["-4", undefined],
  ["Wed, 31 Dec 2025 23:00:00 GMT", 0],
  ["1767222000", 0],
])("reads the header Retry-After, a time by the server's clock: %s", (header, retryAfterMs) => {
  const date = "Thu, 01 Jan 2026 00:00:00 GMT";
  expect(classify(429, "", { "retry-after": header, date })).toHaveProperty("retryAfterMs", retryAfterMs);
});

test("reads a time in Retry-After by the clock of this machine if the server's is not known", () => {
  expect(classify(429, "", { "retry-after": "1767222009" })).toHaveProperty("retryAfterMs", 9000);
});

test.each([
  [401, flat("InvalidApiKey"), /^Check cloudvoice:apiKey or CLOUDVOICE_API_KEY\./],
  [404, flat("ModelNotFound"), /^Check cloudvoice:baseUrl or CLOUDVOICE_BASE_URL\.$/],
  [302, "", /^Check cloudvoice:baseUrl or CLOUDVOICE_BASE_URL\.$/],
  [429, flat("VoiceQuotaExceeded"), /^Delete voices/],
  [429, flat("insufficient_quota"), /^Check the balance, the plan and the quotas/],
  [403, "<html><h1>Blocked</h1></html>", /a gateway in front of the service refused the call/],
])("says what to do about status %i with %j", (status, body, advice) => {
  expect(classify(status, body).advice).toMatch(advice);
});
