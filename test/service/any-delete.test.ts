import fc from "fast-check";
import { check, nested, respondingWith } from "../support/any-form";

describe("a delete", () => {
  const body = fc.oneof(
    nested(fc.constant({}), { request_id: "r", count: 0 }).map((json) => JSON.stringify(json)),
    fc.constantFrom("", "OK", "true", "[]", "null"),
  );
  test("is done if the service accepts it with any body", () =>
    check(body, async (text) => {
      expect(await respondingWith(text).voices.remove("v")).toBe(true);
    }));

  test.each(["<html>Log in</html>", '{"message":"temporarily unavailable","request_id":"r"}', '{"error":"busy"}'])(
    "whose response speaks of something else leaves it to the list: %s",
    async (text) => {
      await expect(respondingWith(text).voices.remove("v")).rejects.toMatchObject({ billed: "no" });
    },
  );

  test.each([400, 403, 404, 410, 500])("of an absent voice is done with the status %i too", async (status) => {
    const json = { error: { errorCode: "Voice.NotFound", detail: "no such voice" } };
    expect(await respondingWith(json, { status }).voices.remove("v")).toBe(false);
  });
});
