import fc from "fast-check";
import { readSettings } from "../../provider/src/rules/settings";
import { connect } from "../../provider/src/service/connect";
import { apiKey, check, nested, respondingWith, rows } from "../support/any-form";
import { fakeClock, sending } from "../support/service";

describe("an error", () => {
  const code = "Audio.PreprocessError";
  const message = "the text differs from the audio";
  const shaped = fc.constantFrom<object | string>(
    { code, message },
    { Code: code, Message: message },
    { errorCode: code, errorMessage: message },
    { error_code: code, error_msg: message },
    { error: { code, message } },
    { error: { code: 400, type: code, message } },
    { error: `${code}: ${message}` },
    { error: code, error_description: message },
    { errors: [{ code, message }] },
    { errors: [`${code}: ${message}`] },
    { detail: { code, message } },
    { detail: `${code}: ${message}` },
    { detail: [{ type: code, msg: message }] },
    { status: "error", message: `${code}: ${message}` },
    { code: 40003, message: `${code}: ${message}` },
    { success: false, code, msg: message },
    { fault: { faultstring: "x", detail: { errorcode: code, message } } },
  );
  const json = shaped.chain((fields) => nested(fc.constant(fields as object), { request_id: "r-1" }));
  const body = fc.oneof(
    json.map((each) => JSON.stringify(each)),
    fc.constantFrom(
      `${message} (${code})`,
      `<html><body><h1>${code}</h1><p>${message}</p></body></html>`,
      `${code}: ${message}`,
      `"${code}: ${message}"`,
      `[${code}] - ${message}`,
    ),
  );
  const create = (text: string, status: number) =>
    respondingWith(text, {
      status,
      headers: text.startsWith("{") ? {} : { "content-type": "text/plain" },
    }).voices.create(
      {
        targetModel: "m",
        preferredName: "a",
        audio: { url: "https://a.example/a.wav" },
      },
      sending,
    );

  test("that the contract names is found in any form, with any status, and is never billed", () =>
    check(fc.tuple(body, fc.constantFrom(400, 403, 422, 429, 500, 503)), async ([text, status]) => {
      await expect(create(text, status)).rejects.toMatchObject({
        name: "RejectedError",
        code,
        billed: "no",
        ...(text.startsWith("{") && { requestId: "r-1" }),
        reason: expect.stringContaining(message) as string,
      });
    }));

  test("that comes with a status of success is found too", () =>
    check(json, async (each) => {
      await expect(create(JSON.stringify(each), 200)).rejects.toMatchObject({ code, billed: "no" });
    }));

  test.each([400, 403, 409, 429, 500, 503])(
    "that the account is full is known by its code with the status %i",
    async (status) => {
      for (const name of ["Throttling.AllocationQuota", "VoiceQuotaExceeded", "QuotaExceeded", "LimitExceeded.Voice"])
        await expect(create(JSON.stringify({ code: name, message: "m" }), status)).rejects.toMatchObject({
          name: "QuotaError",
          billed: "no",
        });
    },
  );

  test.each([
    ["a code that says nothing", '{"code":"E1000","message":"m"}'],
    ["no code", '{"what":"full"}'],
  ])("that the account is full is known by the list, with %s", async (_, text) => {
    for (const status of [400, 403, 429]) {
      const list = JSON.stringify({ voices: rows, total: 3, request_id: "r" });
      let creates = 0;
      const all: Record<string, string> = { baseUrl: "https://service.example", apiKey, voiceQuota: "3" };
      const http = {
        send: ({ body: make }: { body?: () => unknown }) => {
          const isCreate = String(make?.()).includes('"create"');
          if (isCreate) creates++;
          return Promise.resolve({ status: isCreate ? status : 200, headers: {}, body: isCreate ? text : list });
        },
        open: () => Promise.reject(new Error()),
        close: () => Promise.resolve(),
      };
      const { voices, account } = connect(
        readSettings((name) => (all[name] ? { value: all[name], source: name } : undefined)),
        { http, clock: fakeClock() },
      );
      const audio = { url: "https://a.example/a.wav" };
      const request = { targetModel: "m", preferredName: "a", audio };
      const error = await voices.create(request, sending).catch((thrown: unknown) => thrown);
      expect(await account.errorIfFull(error)).toMatchObject({
        ...{ name: "QuotaError", status, billed: "no" },
        advice: expect.stringMatching(/^The account is full: it holds 3 voices: (?!.*it holds)/) as string,
      });
      expect(creates).toBe(1);
    }
  });

  test.each([
    ['{"oops":{"why":"who knows"}}', /the service gave no reason: \{"oops":\{"why":"who knows"\}\}/],
    [
      "<html><head><style>a{}</style></head><body><h1>Bad\nGateway</h1></body></html>",
      /a gateway and not from the service: Bad Gateway/,
    ],
    ["it is broken", /it is broken/],
    [`{"what":"${apiKey}\\u001b[2J${"x".repeat(9000)}"}`, /\{"what":"\[key\]\\u001b\[2Jx+ …/],
    ["", /the service gave no reason/],
  ])("that cannot be understood is shown, redacted and shortened: %.60s", async (text, shown) => {
    const error = (await create(text, 400).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(shown);
    expect(error.message).not.toMatch(/canary|\p{Cc}/u);
    expect(error.message.length).toBeLessThan(700);
  });
});
