import { gzipSync } from "node:zlib";
import { CloudVoiceError } from "../../provider/src/errors";
import { apiKey, respondingWith } from "../support/any-form";
import { serve } from "../support/serve";
import { isUnread } from "../../provider/src/service/billed-requests";
import { connected, fakeClock } from "../support/service";
import { calls, type Clients } from "./calls";

/** A service, or somebody in its place, that sends what costs much to read, or gives the key back. */

/** Every call, with what it gave or how it failed. */
function callAll(clients: Clients): Promise<PromiseSettledResult<unknown>[]> {
  return Promise.allSettled(Object.values(calls).map((call) => call(clients)));
}

describe("a key that comes back", () => {
  const escape = (text: string, prefix: string) =>
    text.replace(/./g, (letter) => `${prefix}${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const percent = (text: string) => Buffer.from(text).toString("hex").replace(/../g, "%$&");
  /** As it stands in the JSON of the body. */
  const forms: [how: string, form: string][] = [
    ["as it is", apiKey],
    ["with an escaped letter", `${escape("c", "\\u")}${apiKey.slice(1)}`],
    ["with escaped letters", escape(apiKey, "\\u")],
    ["with letters escaped twice", escape(apiKey, "\\\\u")],
    ["with a backslash", apiKey.replace("-", "\\\\-")],
    ["in base64", Buffer.from(apiKey).toString("base64")],
    ["in base64, behind one letter", Buffer.from(`:${apiKey}`).toString("base64")],
    ["in base64, behind a name", Buffer.from(`user:${apiKey}!`).toString("base64url")],
    ["in a URL", percent(apiKey)],
    ["in a URL, with one letter", apiKey.replace("-", "%2d")],
    ["in a URL in a URL", encodeURIComponent(percent(apiKey))],
    ["in hexadecimal", Buffer.from(apiKey).toString("hex")],
    ["in large hexadecimal", Buffer.from(apiKey).toString("hex").toUpperCase()],
    ["with white space inside", `${apiKey.slice(0, 8)} \\n\\t${apiKey.slice(8)}`],
    ["with what is not seen inside", `${apiKey.slice(0, 8)}\\u200b${apiKey.slice(8)}`],
  ];

  test.each(forms)("%s is in no result and in no error", async (_, form) => {
    const text = `Bearer ${form} is yours`;
    const fields = Object.fromEntries(
      ["voice", "gmt_create", "task_id", "code", "message", "request_id", "url", form].map((name) => [name, text]),
    );
    const bodies: object[] = [
      { output: { ...fields, task_status: "SUCCEEDED", results: [{ url: `https://a.example/${form}.png` }] } },
      { request_id: text, output: { voices: [{ voice: "svc-a", target_model: text, gmt_create: text }] } },
      { request_id: text, answers: { q: { type: "noul", noul: 1, [form]: text, note: text } }, model: text },
      { code: text, message: text, request_id: "r" },
    ];
    const seen: unknown[] = [];
    for (const body of bodies)
      for (const status of [200, 400]) {
        // Already in the form in which it stands in a body.
        const written = JSON.stringify(body).replaceAll(JSON.stringify(form).slice(1, -1), form);
        for (const sent of [written, written.slice(0, -3)])
          for (const result of await callAll(respondingWith(sent, { status }))) {
            const { reason, value } = result as { reason?: Error & { received?: unknown }; value?: unknown };
            seen.push(value, reason, reason?.message, reason?.received);
          }
      }
    const all = JSON.stringify(seen);
    expect(all.includes("[key]")).toBe(true);
    const read = JSON.parse(`"${form}"`) as string;
    const shown = [form, read, read.replace(/[\s\u200b]+/g, "")];
    expect(shown.filter((each) => all.includes(JSON.stringify(each).slice(1, -1)))).toEqual([]);
  });

  test("of an answer only the fields of the contract are kept", async () => {
    const answer = { type: "noul", noul: 0.5, echo: "anything", probabilities: { a: 1 } };
    const { answers } = await calls.decide(respondingWith({ request_id: "r", answers: { q: answer, other: answer } }));
    expect(answers).toEqual({ q: { type: "noul", noul: 0.5 } });
  });
});

describe("a recording that comes back is in no error and in no reason", () => {
  const recording = Buffer.from(Array.from({ length: 900 }, (_, at) => (at * 7919) % 256));
  const base64 = recording.toString("base64");
  const hex = recording.toString("hex");
  test.each([
    ["as base64", base64],
    ["as a data URL", `data:audio/wav;base64,${base64}`],
    ["as base64 in lines", base64.replace(/.{76}/g, "$&\r\n")],
    ["as base64 in lines that are escaped", base64.replace(/.{64}/g, "$&\\n")],
    ["as a data URL in lines", `data:audio/wav;base64,${base64.replace(/.{76}/g, "$&\n")}`],
    ["as hexadecimal", hex],
    ["as hexadecimal with spaces", hex.replace(/../g, "$& ")],
    ["as bytes of Python", hex.replace(/../g, "\\x$&")],
    ["as numbers", JSON.stringify([...recording])],
  ])("%s", async (_, written) => {
    const errorOf = async (body: object, status = 200) => {
      const [, created] = await callAll(respondingWith(JSON.stringify(body), { status }));
      return (created as PromiseRejectedResult).reason as Error & { received?: unknown };
    };
    const refusal = await errorOf({ code: "Audio.PreprocessError", message: `The audio ${written} is too short` }, 400);
    expect(refusal.message).toContain("The audio ");
    expect(refusal.message).toContain("[…]");
    const unread = await errorOf({ request_id: "r", voice_key: "v-17", input: { audio: { data: `>>> ${written}` } } });
    expect(unread).toMatchObject({ billed: "unknown" });
    expect(unread).not.toHaveProperty("received");
    const said = refusal.message + unread.message;
    const pieces = Array.from({ length: written.length - 20 }, (_, at) => written.slice(at, at + 20));
    const isSaid = (piece: string) => said.includes(piece) || said.includes(JSON.stringify(piece).slice(1, -1));
    expect(pieces.filter(isSaid)).toEqual([]);
  });
});

describe("whatever happens after a response", () => {
  const deep = (depth: number) => `${'{"a":['.repeat(depth)}${"]}".repeat(depth)}`;
  const named = (inner: string) =>
    `{"output":{"task_id":"t","task_status":"SUCCEEDED","voice":"svc-a","a":${inner}},` +
    `"answers":{"q":{"type":"noul","noul":1,"a":${inner}}},"request_id":"r"}`;

  test.each([100, 100_000])("a nesting of %i leaves no billed call without an outcome", async (depth) => {
    for (const body of [deep(depth), named(deep(depth))]) {
      const [list, create, remove, submit, poll, ask] = await callAll(respondingWith(body));
      for (const billed of [create, submit, ask]) {
        expect(billed).toMatchObject({
          status: "rejected",
          reason: { name: "UnexpectedAnswerError", billed: "unknown" },
        });
        expect(isUnread((billed as PromiseRejectedResult).reason)).toBe(true);
      }
      for (const free of [list, remove, poll])
        expect(CloudVoiceError.is((free as PromiseRejectedResult).reason)).toBe(true);
    }
  });

  test("an error of our own is one of a call that may have been billed", async () => {
    const failing = () => {
      throw new RangeError("Maximum call stack size exceeded");
    };
    const { url } = await serve((_, response) => response.end(named("1")));
    const service = connected({ url, apiKey }, { maxRetries: "0" }, fakeClock(), { observe: failing });
    const [, create, , submit, , ask] = await callAll(service);
    for (const billed of [create, submit, ask])
      expect(billed).toMatchObject({
        reason: { billed: "unknown", message: expect.stringMatching(/Maximum/) as string },
      });
  });
});

describe("a response that is too much", () => {
  const megabyte = 2 ** 20;
  const list = (text: string, bytes: number) =>
    `[${Array(Math.floor(bytes / (text.length + 1)))
      .fill(text)
      .join(",")}]`;

  test("packed or not, is not read to its end, and whether it was billed is not known", async () => {
    for (const encoding of ["gzip", ""]) {
      const body = Buffer.from(`{"a":${list("{}", 20 * megabyte)}}`);
      const { url } = await serve((_, response) => {
        response.setHeader("content-encoding", encoding);
        response.end(encoding ? gzipSync(body) : body);
      });
      const service = connected({ url, apiKey }, { maxRetries: "0" });
      const lost = { name: "LostAnswerError", billed: "unknown" };
      for (const call of [calls.create, calls.submit, calls.decide])
        await expect(call(service)).rejects.toMatchObject(lost);
      await expect(calls.list(service)).rejects.toMatchObject({ ...lost, billed: "no" });
    }
  });

  /** Bodies of so many parts, each of which was once compared with each other one. */
  const shapes: [what: string, part: (index: number) => string, around: (parts: string) => string][] = [
    ["empty objects", () => "{}", (parts) => `{"output":{"results":[${parts}]}}`],
    ["objects by name", (at) => `"k${at}":{}`, (parts) => `{"output":{${parts}}}`],
    ["voices by name", (at) => `"k${at}":{"voice":"v${at}"}`, (parts) => `{"output":{${parts}}}`],
    ["lists of voices", (at) => `"k${at}":[{"voice":"v${at}","target_model":"m"}]`, (parts) => `{"output":{${parts}}}`],
    ["codes", (at) => `"x${at}":{"code":${10_000 + at},"msg":"ok"}`, (parts) => `{"request_id":"r",${parts}}`],
    [
      "codes at one place",
      (at) => `"c${"_".repeat(at % 99)}o${"_".repeat(at / 99)}de":10000`,
      (parts) => `{"message":"ok",${parts}}`,
    ],
    [
      "addresses",
      (at) => `{"url":"https://a.example/${at}.png","image_${at}":{"url":"/${at}.png"}}`,
      (parts) => `{"output":{"task_id":"t","task_status":"SUCCEEDED","r":[${parts}]}}`,
    ],
    [
      "paths",
      (at) => `"p${at}x":{"url":"${at % 2 ? "" : "https://a.example"}/${at}.png"}`,
      (parts) => `{"output":{"task_status":"SUCCEEDED",${parts}}}`,
    ],
    ["errors", (at) => `"message${at}":"Audio.PreprocessError: ${at}"`, (parts) => `{"error":{${parts}}}`],
    ["totals", (at) => `"total_${at}":${at}`, (parts) => `{"request_id":"r",${parts}}`],
    ["answers", (at) => `"k${at}":0.1`, (parts) => `{"answers":{"q":{"type":"choice","probabilities":{${parts}}}}}`],
  ];

  test.each(shapes)("of %s takes time in proportion to its size", async (_, part, around) => {
    const cpuMs = async (count: number) => {
      const body = around(Array.from({ length: count }, (_, at) => part(at)).join(","));
      const before = process.cpuUsage();
      for (const status of [200, 400]) await callAll(respondingWith(body, { status }));
      return process.cpuUsage(before).user / 1000;
    };
    const [few, many] = [await cpuMs(500), await cpuMs(2000)];
    // Four times as many: in a square, sixteen times the time.
    expect(many).toBeLessThan(10 * Math.max(few, 25));
  });

  test.each<[how: string, around: (parts: string) => string]>([
    ["in a task, which may carry pictures", (parts) => `{"output":{"task_status":"SUCCEEDED","r":[${parts}{}]}}`],
    ["as names", (parts) => `{${parts.replaceAll("{}", '"k":1')}"k":1}`],
    ["as texts", (parts) => `[${parts.replaceAll("{}", '""')}""]`],
    ["as quotation marks", (parts) => '"'.repeat(parts.length)],
  ])("%s is refused before it is parsed", async (_, around) => {
    const service = respondingWith(around("{},".repeat(megabyte)));
    const parse = jest.spyOn(JSON, "parse");
    try {
      const message = expect.stringContaining("too large") as unknown;
      await expect(service.images.poll("t", { secret: false })).rejects.toMatchObject({ billed: "no", message });
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });

  test("in the names of its fields is no list and no answer, because these names may be ids", async () => {
    const name = `a-voice-20260601080002972-${"1".repeat(megabyte)}`;
    const body = {
      output: { voices: { [name]: {} } },
      answers: { [name]: { type: "noul", noul: 1 } },
      request_id: "r",
    };
    const [list, create, , submit, , ask] = await callAll(respondingWith(body));
    expect(list).toMatchObject({
      reason: { message: expect.stringContaining("name of a field is too long") as unknown },
    });
    for (const billed of [create, submit, ask]) expect(billed).toMatchObject({ reason: { billed: "unknown" } });
  });

  test.each([
    ["voice", "the name of a voice"],
    ["target_model", "the name of its model"],
  ])("in the field %s of a row, %s, is no list", async (field) => {
    const row = { voice: "a-voice-20260601080002972-1", target_model: "m", [field]: "1".repeat(3 * megabyte) };
    const [list] = await callAll(respondingWith({ output: { voices: [row] }, request_id: "r" }));
    const message = expect.stringContaining(`a ${field} of at most 4000 characters`) as unknown;
    expect(list).toMatchObject({ reason: { message } });
    expect(String((list as PromiseRejectedResult).reason).length).toBeLessThan(1000);
  });

  test("in the name of a created voice leaves it unknown whether it was billed", async () => {
    const [, create] = await callAll(respondingWith({ output: { voice: "v".repeat(3 * megabyte) }, request_id: "r" }));
    expect(create).toMatchObject({ reason: { billed: "unknown" } });
    expect(String((create as PromiseRejectedResult).reason).length).toBeLessThan(5000);
  });

  test("does not stop a task that carries its pictures", async () => {
    const picture = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(20 * megabyte)]);
    const output = { task_id: "t", task_status: "SUCCEEDED", results: [{ url: picture.toString("base64") }] };
    const { url } = await serve((_, response) => response.end(JSON.stringify({ output, request_id: "r" })));
    const { images } = connected({ url, apiKey });
    expect((await images.poll("t", { secret: false })).results).toEqual([{ content: picture.toString("base64") }]);
  });
});
