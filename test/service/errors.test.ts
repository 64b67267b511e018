import { CloudVoiceError, ServiceError } from "../../provider/src/errors";

test.each([
  ["a reason alone", "It broke", {}, "It broke"],
  ["a purpose", "it broke.", { purpose: "testing" }, "testing failed: it broke."],
  [
    "all facts",
    "it broke.",
    { purpose: "testing", status: 500, code: "Broken", requestId: "r-1", advice: "Try again." },
    "testing failed: it broke (HTTP 500, Broken, request id r-1). Try again.",
  ],
  [
    "an unknown bill",
    "it broke",
    { billed: "unknown", advice: "Try again." },
    "it broke. This call may have been billed. Try again.",
  ],
  ["a reason that is a sentence", "It broke.", { advice: "Try again." }, "It broke. Try again."],
] as const)("composes a message from %s", (_, reason, facts, message) => {
  expect(new CloudVoiceError(reason, facts).message).toBe(message);
});

test("an amended error keeps its class and its other parts, and no text of the old reason", () => {
  const error = new ServiceError("secret", { status: 503, retryAfterMs: 7000 }).amend({
    purpose: "testing",
    reason: "it broke",
  });
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ status: 503, retryAfterMs: 7000, message: "testing failed: it broke (HTTP 503)" });
  expect(error.stack).not.toContain("secret");
});
