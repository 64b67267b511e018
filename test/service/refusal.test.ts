import { classifyRefusal, type InterfaceName, isRefusal } from "../../provider/src/service/responses/refusal";
import { parseBody } from "../../provider/src/service/responses/json";
import type { HttpResponse } from "../../provider/src/service/http";

const nowMs = Date.parse("2026-01-01T00:00:00Z");

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
const compatible = (error: object) => JSON.stringify({ error: { message: "No.", ...error }, request_id: "r-1" });

test.each<
  [what: string, status: number, body: string, name: string, code: string | undefined, billed: "no" | "unknown"]
>([
  ["the flat form", 400, flat("InvalidParameter"), "RejectedError", "InvalidParameter", "no"],
  ["the compatible form", 400, compatible({ code: "InvalidParameter" }), "RejectedError", "InvalidParameter", "no"],
  [
    "the compatible form with a type and no code",
    400,
    compatible({ type: "invalid_request_error", code: null }),
    "RejectedError",
    "invalid_request_error",
    "no",
  ],
  [
    "a quota that is not said to be one of voices",
    400,
    flat("Throttling.AllocationQuota"),
    "RejectedError",
    "Throttling.AllocationQuota",
    "no",
  ],
  [
    "the same, spelled differently",
    429,
    flat("throttling_allocation_quota"),
    "RejectedError",
    "throttling_allocation_quota",
    "no",
  ],
  ["a rate limit as 429", 429, flat("Throttling.RateQuota"), "RateLimitError", "Throttling.RateQuota", "no"],
  ["a rate limit as 400", 400, flat("Throttling"), "RateLimitError", "Throttling", "no"],
  ["a 429 without a body", 429, "", "RateLimitError", undefined, "no"],
  ["an invalid key", 401, flat("InvalidApiKey"), "AuthenticationError", "InvalidApiKey", "no"],
  ["denied access", 403, flat("AccessDenied.Unpurchased"), "AuthenticationError", "AccessDenied.Unpurchased", "no"],
  ["an absent voice", 400, flat("BadRequest.VoiceNotFound"), "NotFoundError", "BadRequest.VoiceNotFound", "no"],
  [
    "an absent resource",
    400,
    flat("InvalidParameter.ResourceNotExist"),
    "NotFoundError",
    "InvalidParameter.ResourceNotExist",
    "no",
  ],
  ["an absent model, which is not an absent voice", 404, flat("ModelNotFound"), "RejectedError", "ModelNotFound", "no"],
  ["an HTML page of a gateway", 502, "<html>Bad Gateway</html>", "ServiceError", undefined, "unknown"],
  ["an overloaded service", 503, flat("ServiceUnavailable"), "ServiceError", "ServiceUnavailable", "unknown"],
  ["a timeout inside the service", 408, flat("RequestTimeOut"), "ServiceError", "RequestTimeOut", "unknown"],
  ["a redirect", 302, "", "RejectedError", undefined, "no"],
])("classifies %s", (_, status, body, name, code, billed) => {
  expect(classify(status, body)).toMatchObject({ name, status, billed });
  expect(classify(status, body).code).toBe(code);
});

test.each([
  [200, "unknown"],
  [400, "no"],
  [408, "unknown"],
  [499, "unknown"],
  [500, "unknown"],
] as const)(
  "classifies a JSON error that was cut short with status %i as a failure of the service",
  (status, billed) => {
    const error = classify(status, '{"code":"Throt', { "content-type": "application/json" });
    expect(error).toMatchObject({ name: "ServiceError", reason: "the response was cut short", billed });
  },
);

test.each([
  [400, "RejectedError", "no"],
  [401, "AuthenticationError", "no"],
  [408, "ServiceError", "unknown"],
  [460, "ServiceError", "unknown"],
  [499, "ServiceError", "unknown"],
  [429, "RateLimitError", "no"],
  [500, "ServiceError", "unknown"],
])("classifies an empty response that says it is JSON by its status %i", (status, name, billed) => {
  expect(classify(status, "", { "content-type": "application/json" })).toMatchObject({ name, billed });
});

test("takes the request id from the header when the body has none", () => {
  expect(classify(502, "<html>", { "x-request-id": "h-1" }).requestId).toBe("h-1");
});

test.each([
  ["7", 7000],
  ["Thu, 01 Jan 2026 00:00:09 GMT", 9000],
  ["1767225609", 9000],
  ["1767225609000", 9000],
  ["soon", undefined],
])("reads the header Retry-After: %s", (header, retryAfterMs) => {
  expect(classify(429, "", { "retry-after": header })).toHaveProperty("retryAfterMs", retryAfterMs);
});

test.each([
  [401, flat("InvalidApiKey"), /^Check cloudvoice:apiKey or CLOUDVOICE_API_KEY\./],
  [404, flat("ModelNotFound"), /^Check cloudvoice:baseUrl or CLOUDVOICE_BASE_URL\.$/],
  [302, "", /^Check cloudvoice:baseUrl or CLOUDVOICE_BASE_URL\.$/],
  [429, flat("VoiceQuotaExceeded"), /^Delete voices/],
  [429, flat("insufficient_quota"), /^This is about the balance, the plan or a quota/],
  [403, "<html><h1>Blocked</h1></html>", /a gateway in front of the service refused the call/],
])("says what to do about status %i with %j", (status, body, advice) => {
  expect(classify(status, body).advice).toMatch(advice);
});

test.each(["images", "decisions"] as const)("an exhausted allocation is a rate limit for %s", (interfaceName) => {
  const error = classify(429, flat("Throttling.AllocationQuota"), {}, interfaceName);
  expect(error).toMatchObject({ name: "RateLimitError", billed: "no" });
});

test.each([
  ...["LimitExceeded.Voice", "VoiceLimitExceeded", "MaxVoicesReached", "QuotaExceeded.Voice"],
  ...["Voice.Quota.Exceeded", "TooManyVoices", "InsufficientVoiceQuota", "MaximumNumberOfVoicesReached"],
  ...["ExceedQuota.CustomVoice", "VoiceNumExceed", "NoMoreVoices"],
])("%s says that the account is full, with any status", (code) => {
  for (const status of [400, 403, 429, 500, 503])
    expect(classify(status, flat(code))).toMatchObject({ name: "QuotaError", billed: "no" });
});

test.each([
  "Throttling.AllocationQuota",
  "LIMIT_EXCEEDED",
  "Account.Full",
  "ExceededQuota",
  "AllocationQuota.FreeTierOnly",
  "Arrearage",
])("%s speaks of a quota or a balance, and not of voices: the list decides whether the account is full", (code) => {
  for (const status of [400, 401, 403, 429])
    expect(classify(status, flat(code))).toMatchObject({ name: "RejectedError", billed: "no" });
});

test.each([
  ...["VoiceLengthLimitExceeded", "LimitExceeded.Audio", "RequestLimitExceeded", "ConcurrencyQuotaExceeded"],
  ...["TooManyRequests", "VoiceNotFound", "InvalidVoice", "QuotaExceeded.Requests", "VoiceError", "LimitExceeded.Qps"],
])("%s does not say that the account is full", (code) => {
  for (const status of [400, 429, 503]) expect(classify(status, flat(code)).name).not.toBe("QuotaError");
});

test.each<[what: string, json: unknown, refused: boolean]>([
  ["code and message", { code: "InvalidParameter", message: "No." }, true],
  ["code and message in output", { output: { code: "InvalidParameter", message: "No." } }, true],
  ["an error object", { error: { code: "InvalidParameter", message: "No." } }, true],
  ["a code in place of a delete", { code: "InvalidParameter", message: "No." }, true],
  ["a number as code", { code: 40003, message: "No." }, true],
  ["a code of success", { code: "Success", message: "Done.", request_id: "r" }, false],
  ["a status as code", { code: 200, message: "OK" }, false],
  ["an empty error", { error: {}, request_id: "r" }, false],
  ["a number of success", { code: 10000, message: "Success" }, false],
  ["a number beside what may be a result", { code: 1, description: "submitted", result: "1320098173412546" }, false],
  ["a title", { title: "anna_k", state: "ready" }, false],
  ["neither success nor refusal", { status: "done" }, false],
  ["a list", [], false],
  ["no JSON", undefined, false],
])("in a response of success, tells a refusal by its error: %s", (_, json, refused) => {
  expect(isRefusal(json)).toBe(refused);
});
