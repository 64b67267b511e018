import fc from "fast-check";
import { check, nested, respondingWith } from "../support/any-form";
import { sending } from "../support/service";

describe("a create", () => {
  const request = { targetModel: "m", preferredName: "a", audio: { url: "https://a.example/a.wav" } };
  const fields = fc.record(
    {
      voice: fc.constant("svc-a-voice-1"),
      target_model: fc.constantFrom("m", "other"),
      fallback_mode: fc.constantFrom<unknown>(true, "true", 1, { on: true }, false, null, 0, "false"),
      fallback_reason: fc.constantFrom<unknown>("noisy", null, 4, { why: "noisy" }),
    },
    { requiredKeys: ["voice"] },
  );
  test("is read in any form, also if the fallback has another type", () =>
    check(nested(fields, { request_id: "r-1", count: 1 }), async (json) => {
      expect(await respondingWith(json).voices.create(request, sending)).toMatchObject({
        voice: "svc-a-voice-1",
        requestId: "r-1",
      });
    }));

  test.each([
    [true, true],
    ["true", true],
    [1, true],
    [{ on: 1 }, true],
    [false, false],
    ["false", false],
    [0, false],
    [null, false],
  ])("with the fallback_mode %j is degraded: %s", async (mode, degraded) => {
    const json = { output: { voice: "v", fallback_mode: mode }, request_id: "r" };
    expect(await respondingWith(json).voices.create(request, sending)).toMatchObject({ degraded });
  });

  test("whose voice stands in two envelopes names both, and may have been billed", async () => {
    const json = { data: { voice: "v-1" }, source: { voice: "v-2" }, request_id: "r", count: 1 };
    await expect(respondingWith(json).voices.create(request, sending)).rejects.toMatchObject({
      billed: "unknown",
      message: expect.stringContaining("expected one voice, and there are data.voice and source.voice") as string,
    });
  });
});
