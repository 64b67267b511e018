import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CloudVoiceError } from "../../provider/src/errors";
import { isUnread } from "../../provider/src/service/billed-requests";
import type { Forms } from "../../provider/src/rules/settings";
import type { PictureEntry } from "../../provider/src/service/responses/images";
import { readVoiceList } from "../../provider/src/service/responses/voice-list";
import { parseBody } from "../../provider/src/service/responses/json";
import { respondingWith } from "../support/any-form";
import { sending } from "../support/service";

/**
 * Responses as services of this kind are publicly reported to give them, one in each file of `test/corpus`, with what must
 * be read. The names of the contract are in the place of each service's own, and all values are invented. `form` says
 * whether a response is `understood`, understood only with the setting `forms`, or `never`: then nothing is concluded.
 */

interface Case {
  about: string;
  status: number;
  headers?: Record<string, string>;
  body: unknown;
  form: "understood" | "never" | Forms;
  read: Record<string, unknown>;
  interface?: "voices" | "images";
}

const folder = join(__dirname, "../corpus");
/** Each case, and those with a setting also without it: then nothing may be concluded. */
const casesOf = (kind: string) =>
  readdirSync(join(folder, kind)).flatMap((file): [string, Case][] => {
    const each = JSON.parse(readFileSync(join(folder, kind, file), "utf8")) as Case;
    const name = file.replace(/\.json$/, "");
    if (typeof each.form === "string") return [[name, each]];
    return [
      [`${name}, with forms`, each],
      [`${name}, without forms`, { ...each, form: "never", read: nothing[kind] ?? {} }],
    ];
  });

/** What a response that is not understood leads to. */
const nothing: Record<string, Case["read"]> = {
  list: { voices: [], certain: false },
  deletion: { deleted: "ask the list" },
  created: { unread: true },
  submitted: { unread: true },
  task: { status: "SUCCEEDED", pictures: "not recognised" },
  error: { unread: true },
};
const formsOf = ({ form }: Case) => (typeof form === "string" ? undefined : form);

const held = "svc-tts-vc-held_abc1234-voice-20260101120000000-1a2b";
const asked = "task-1234";

const serviceOf = (each: Case) => {
  const { status, headers = {}, body } = each;
  const forms = formsOf(each);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const settings = forms && { forms: JSON.stringify(forms) };
  return respondingWith(text.replaceAll("$ASKED", held), { status, headers }, settings);
};

const outcome = (work: Promise<unknown>) => work.catch((error: unknown) => error);
const messageOf = (error: unknown) => (CloudVoiceError.is(error) ? error.message : String(error));

describe("a list", () => {
  test.each(casesOf("list"))("%s", (_, each) => {
    const { body, read } = each;
    const { json } = parseBody(typeof body === "string" ? body : JSON.stringify(body));
    let page: ReturnType<typeof readVoiceList> | undefined;
    try {
      page = readVoiceList(json, true, formsOf(each));
    } catch {
      expect(read["not understood"] === true || (read.certain === false && String(read.voices) === "")).toBe(true);
      return;
    }
    const { rows, doubt, more, total = 0 } = page;
    expect(read["not understood"]).toBeUndefined();
    expect(rows.map(({ voice }) => voice)).toEqual(read.voices);
    const isCertain = doubt === undefined && total <= rows.length && more === undefined;
    expect([doubt, isCertain]).toEqual([doubt, read.certain]);
  });
});

describe("a deletion", () => {
  test.each(casesOf("deletion"))("%s", async (_, each) => {
    const result = await outcome(serviceOf(each).voices.remove(held));
    if (each.read.deleted === true) expect(result).toBeUndefined();
    else expect(CloudVoiceError.is(result)).toBe(true);
  });
});

const voice = {
  targetModel: "svc3-tts-vc-2026-01-22",
  preferredName: "anna_k",
  audio: { url: "https://a.example/a.wav" },
};

describe("a created voice", () => {
  test.each(casesOf("created"))("%s", async (_, each) => {
    const result = await outcome(serviceOf(each).voices.create(voice, sending));
    expectBilled(result, each.read, "voice");
  });
});

describe("a submitted task", () => {
  test.each(casesOf("submitted"))("%s", async (_, each) => {
    const result = await outcome(serviceOf(each).images.submit({ model: "svc-image", prompt: "a" }, { sending }));
    if ("task_id" in each.read) expect(result).toMatchObject({ taskId: each.read.task_id });
    else expectBilled(result, each.read, "taskId");
    if (each.read.shown !== undefined)
      expect(messageOf(result) + JSON.stringify((result as { received?: unknown }).received)).toContain(
        each.read.shown as string,
      );
  });
});

describe("answers", () => {
  test.each(casesOf("answers"))("%s", async (_, each) => {
    const questions = {
      q: { type: "noul" },
      error: { type: "choice", criteria: { failed: "it has failed" } },
    } as const;
    const asked = "error" in ((each.read.answers as object | undefined) ?? {}) ? questions : { q: questions.q };
    const result = await outcome(serviceOf(each).decisions.ask("a", asked, { sending }));
    expectBilled(result, each.read, "answers");
  });
});

function expectBilled(result: unknown, read: Case["read"], name: string) {
  if (name in read) expect(result).toMatchObject({ [name]: read[name] });
  if (read.refused === true) expect(result).toMatchObject({ billed: "no" });
  if (read.unread === true) expect([isUnread(result), messageOf(result)]).toEqual([true, messageOf(result)]);
  if (read.text_contains !== undefined) expect(messageOf(result)).toContain(read.text_contains);
  if (read.warning_contains !== undefined) expect(JSON.stringify(result)).toContain(read.warning_contains);
}

describe("a looked-up task", () => {
  const address = (image: PictureEntry) => ("url" in image ? [image.url] : "content" in image ? ["base64"] : []);
  test.each(casesOf("task"))("%s", async (_, each) => {
    const { read } = each;
    const result = await outcome(serviceOf(each).images.poll(asked, { secret: false }));
    if (read["not understood"] === true) return expect(result).toBeInstanceOf(Error);
    if (result instanceof Error) throw result;
    const task = result as { taskStatus: string; results: PictureEntry[]; message?: string };
    if (read.status === "doubtful") expect(task.taskStatus).toMatch(/^(UNKNOWN|CANCELL?ED)$/i);
    else expect(task.taskStatus.toUpperCase()).toBe(String(read.status).toUpperCase());
    if (read.message_contains !== undefined) expect(task.message).toContain(read.message_contains);
    if (read.pictures === undefined || task.taskStatus.toUpperCase() !== "SUCCEEDED") return;
    if (read.warning_contains !== undefined) expect(JSON.stringify(task.results)).toContain(read.warning_contains);
    const found = task.results.flatMap(address);
    expect(found).toEqual(read.pictures === "not recognised" ? [] : read.pictures);
  });
});

describe("an error", () => {
  const names: Record<string, string[]> = {
    full: ["QuotaError"],
    money: ["RejectedError"],
    rate: ["RateLimitError"],
    key: ["AuthenticationError"],
    region: ["RejectedError"],
    absent: ["NotFoundError"],
    refused: ["RejectedError"],
    failed: ["ServiceError"],
  };
  test.each(casesOf("error"))("%s", async (_, each) => {
    const { read } = each;
    const service = serviceOf(each);
    const result = await outcome(
      each.interface === "images"
        ? service.images.submit({ model: "svc-image", prompt: "a" }, { sending })
        : service.voices.create(voice, sending),
    );
    if (!CloudVoiceError.is(result)) throw new Error(`no error: ${JSON.stringify(result)}`);
    if (read.unread === true) return expect(isUnread(result)).toBe(true);
    expect([names[String(read.meaning)]?.includes(result.name), result.name, result.message]).toEqual([
      true,
      result.name,
      result.message,
    ]);
    if (read.text_contains !== undefined) expect(result.message).toContain(read.text_contains);
    const billed = read.meaning === "failed" ? "unknown" : "no";
    const retryAfterMs = typeof read.retry_after_seconds === "number" ? read.retry_after_seconds * 1000 : undefined;
    expect(result).toMatchObject({ billed, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  });
});
