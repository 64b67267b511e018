import { CloudVoiceError } from "../../provider/src/errors";
import { call, type Caller } from "../../provider/src/service/call";
import type { HttpResponse } from "../../provider/src/service/http";
import { fakeClock } from "../support/service";
import { z } from "zod";

/** Errors in every form that the service, or what stands before it, is seen to give. */

async function refused(
  status: number,
  body: string,
  headers: HttpResponse["headers"] = {},
  hidden: string[] = [],
): Promise<CloudVoiceError> {
  const caller: Caller = {
    clock: fakeClock(),
    apiKey: () => "sk-canary-key",
    maxRetries: 0,
    http: {
      send: () => Promise.resolve({ status, headers, body }),
      open: () => Promise.reject(new Error()),
      close: () => Promise.resolve(),
    },
  };
  const calling = call(caller, {
    doing: "doing",
    method: "POST",
    url: "http://x",
    answer: z.object({ voice: z.string() }),
    paid: true,
    hidden,
  });
  return calling.then(
    () => Promise.reject(new Error("it was accepted")),
    (error: unknown) => (CloudVoiceError.is(error) ? error : Promise.reject(error as Error)),
  );
}

const flat = (code: string) => JSON.stringify({ code, message: "said", request_id: "r-1" });
const compatible = (error: object) => JSON.stringify({ error: { message: "said", ...error }, request_id: "r-1" });

test.each<[string, number, string, string, string | undefined, "no" | "unknown"]>([
  ["the flat form", 400, flat("InvalidParameter"), "RejectedError", "InvalidParameter", "no"],
  ["the compatible form", 400, compatible({ code: "InvalidParameter" }), "RejectedError", "InvalidParameter", "no"],
  [
    "the compatible form with a type alone",
    400,
    compatible({ type: "invalid_request_error", code: null }),
    "RejectedError",
    "invalid_request_error",
    "no",
  ],
  ["a quota as 400", 400, flat("Throttling.AllocationQuota"), "QuotaError", "Throttling.AllocationQuota", "no"],
  [
    "a quota in other letters",
    429,
    flat("throttling_allocation_quota"),
    "QuotaError",
    "throttling_allocation_quota",
    "no",
  ],
  ["a rate as 429", 429, flat("Throttling.RateQuota"), "RateLimitError", "Throttling.RateQuota", "no"],
  ["a rate as 400", 400, flat("Throttling"), "RateLimitError", "Throttling", "no"],
  ["a 429 without a body", 429, "", "RateLimitError", undefined, "no"],
  ["a key refused", 401, flat("InvalidApiKey"), "AuthenticationError", "InvalidApiKey", "no"],
  ["access denied", 403, flat("AccessDenied.Unpurchased"), "AuthenticationError", "AccessDenied.Unpurchased", "no"],
  ["a voice not found", 400, flat("BadRequest.VoiceNotFound"), "NotFoundError", "BadRequest.VoiceNotFound", "no"],
  [
    "a resource not found",
    400,
    flat("InvalidParameter.ResourceNotExist"),
    "NotFoundError",
    "InvalidParameter.ResourceNotExist",
    "no",
  ],
  ["a model not found, which is no voice", 404, flat("ModelNotFound"), "RejectedError", "ModelNotFound", "no"],
  ["a gateway's page", 502, "<html>Bad Gateway</html>", "ServiceError", undefined, "unknown"],
  ["an overload", 503, flat("ServiceUnavailable"), "ServiceError", "ServiceUnavailable", "unknown"],
  ["a time-out of the service", 408, flat("RequestTimeOut"), "ServiceError", "RequestTimeOut", "unknown"],
  ["a redirect", 302, "", "RejectedError", undefined, "no"],
  ["success that is cut", 200, '{"output":{"voice":"v', "ServiceError", undefined, "unknown"],
  ["success of an unknown form", 200, '{"output":{"name":"v"}}', "UnexpectedAnswerError", undefined, "unknown"],
  ["success that is a list", 200, "[]", "UnexpectedAnswerError", undefined, "unknown"],
])("%s", async (_, status, body, name, code, billed) => {
  const error = await refused(status, body);
  expect({ name: error.name, code: error.code, billed: error.billed, status: error.status }).toEqual({
    name,
    code,
    billed,
    status,
  });
  expect(error.message).toMatch(/^doing failed: /);
});

test("the request id is taken from the header when the body has none", async () => {
  expect((await refused(502, "<html>", { "x-request-id": "h-1" })).requestId).toBe("h-1");
});

test("a service that repeats key or audio does not get them into a message", async () => {
  const error = await refused(
    401,
    JSON.stringify({
      code: "InvalidApiKey",
      message: `bad key sk-canary-key for data:audio/wav;base64,${"QUJD".repeat(50)}`,
    }),
  );
  expect(error.message).not.toMatch(/canary|QUJDQUJD/);
  expect(error.stack).not.toMatch(/canary|QUJDQUJD/);
});

test.each<[what: string, quoted: string]>([
  ["whole", "a canary that sings of money"],
  ["in part", "a canary that sings"],
  ["as JSON quotes it", JSON.stringify('a canary that\nsings "of money"')],
])(
  "a text that may be secret is not shown where the service repeats it %s; code and request id are",
  async (_, quoted) => {
    const hidden = ["a canary that sings of money", 'a canary that\nsings "of money"'];
    const error = await refused(
      400,
      JSON.stringify({ code: "DataInspectionFailed", message: `not fit: ${quoted}`, request_id: "r-1" }),
      {},
      hidden,
    );
    expect(error.message).not.toMatch(/canary/);
    expect(error.message).toMatch(/\(HTTP 400, DataInspectionFailed, request id r-1\)$/);
  },
);

test("of a signed address the signature is not shown, and another's beginning is", async () => {
  const url = "https://bucket.example/voices/a.wav?signature=canary";
  const message = "no answer from https://bucket.example within 5 s; asked for ?signature=canary";
  const error = await refused(400, JSON.stringify({ code: "InvalidURL.Timeout", message }), {}, [
    url,
    "?signature=canary",
  ]);
  expect(error.message).toContain("no answer from https://bucket.example within 5 s; asked for […]");
});

test("nothing that the service says steers a terminal or breaks a line", async () => {
  const error = await refused(
    400,
    JSON.stringify({ code: "Bad\u001b[31m", message: "first\n\u001b]0;title\u0007second\u2028third" }),
    { "x-request-id": "r\u0007" },
  );
  expect([error.message, error.code, error.requestId].join()).not.toMatch(/[\p{Cc}\p{Zl}]/u);
});
