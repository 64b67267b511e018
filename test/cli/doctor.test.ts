import { findingsAt, serviceFindings } from "../../provider/src/cli/doctor";
import { readSettings } from "../../provider/src/rules/settings";
import { mostNoteBytes } from "../../provider/src/service/journal/note";
import { emulate } from "../support/emulate";
import { put, temporaryFolder } from "../support/files";
import { serve } from "../support/serve";
import { settingsOf } from "../support/service";

/** What `doctor` says of a service that answers in forms which the contract leaves open. */

const apiKey = "key-0123456789";
const page = "<html><h1>404 Not Found</h1></html>";

async function findingsOf(baseUrl: string) {
  const found = await serviceFindings(settingsOf({ baseUrl, apiKey }));
  return Object.fromEntries(found.map(({ about, state, message }) => [about, `${state}: ${message}`]));
}

/** The findings with a service that gives this response to an unknown task, and to a decision without a key. */
async function findings(status: number, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { url } = await serve(({ method, headers }, response) => {
    const isList = method === "POST" && headers.authorization !== undefined;
    response.writeHead(isList ? 200 : status, {
      "content-type": isList || text !== body ? "application/json" : "text/html",
    });
    response.end(isList ? '{"request_id":"r","count":0,"voices":[]}' : text);
  });
  return findingsOf(url);
}

test.each<[number, unknown]>([
  [404, { output: { task_status: "UNKNOWN" } }],
  [200, { output: null, request_id: "r" }],
  [429, { code: "Throttling.RateQuota" }],
])("an unknown task is answered with %i %j: the service is reached, and the key accepted", async (status, body) => {
  const { images } = await findings(status, body);
  expect(images).toBe("ok: reached, the key is accepted");
});

test.each<[number, unknown, RegExp]>([
  [401, { code: "InvalidApiKey", message: "m" }, /^error: .*the key was refused.*HTTP 401/],
  // Whoever refused the call, nothing says that it is the key.
  [403, "", /^warning: (?!.*the key was refused).*HTTP 403.*a right.*firewall.*CDN.*region/],
  [403, page, /^warning: (?!.*the key was refused).*HTTP 403/],
  [404, page, /^warning: .*comes from a gateway.*Check cloudvoice:baseUrl/],
  [404, "", /^warning: .*HTTP 404/],
  // A server without images answers so too.
  [404, { message: "no route" }, /^warning: no route.*HTTP 404.*Check the address/],
  [404, {}, /^warning: .*HTTP 404.*Check the address/],
  [200, page, /^warning: .*is not JSON/],
])("an unknown task is answered with %i %j, which is a finding", async (status, body, message) => {
  expect((await findings(status, body)).images).toMatch(message);
});

test.each<[number, unknown, RegExp]>([
  [401, "", /^ok: reached; the key was not tried/],
  [403, page, /^ok: reached; the key was not tried/],
  [422, { message: "a key is missing" }, /^ok: reached; the key was not tried/],
  [404, { message: "no route" }, /^warning: .*HTTP 404.*Check the address/],
  [500, { message: "m" }, /^warning: .*HTTP 500/],
  [200, { code: "InvalidApiKey", message: "m" }, /^ok: reached; the key was not tried/],
  [200, { answers: {} }, /^warning: .*HTTP 200/],
  [400, "", /^warning: .*HTTP 400/],
  [404, page, /^error: .*HTTP 404.*Check the address/],
])("a decision without a key is answered with %i %j", async (status, body, message) => {
  expect((await findings(status, body)).decisions).toMatch(message);
});

test("a warning about the journal does not show its place if that is secret", async () => {
  const journal = temporaryFolder();
  put(journal, `cloudvoice-${"a".repeat(32)}.json`, " ".repeat(mostNoteBytes + 1));
  const settings = { ...readSettings(() => undefined), journal };
  const finding = async (isSecret: boolean) => (await serviceFindings(settings, isSecret))[0];
  expect(await finding(false)).toMatchObject({ state: "warning", message: expect.stringContaining(journal) as string });
  expect(await finding(true)).toMatchObject({ state: "warning", message: "its place is secret, and not shown" });
});

test("nothing answers: that is an error", async () => {
  const error = expect.stringMatching(/^error: /) as string;
  expect(await findingsOf("http://127.0.0.1:9")).toMatchObject({ voices: error, images: error, decisions: error });
});

describe("doctor --base-url, before there is a project", () => {
  const found = async (baseUrl: string, environment: NodeJS.ProcessEnv) =>
    Object.fromEntries((await findingsAt(baseUrl, environment)).map(({ about, state }) => [about, state]));

  test("says which of the three interfaces are there, whatever other addresses the environment has", async () => {
    const emulator = await emulate();
    const environment = { CLOUDVOICE_API_KEY: emulator.apiKey, CLOUDVOICE_IMAGE_BASE_URL: "http://127.0.0.1:9" };
    expect(await found(emulator.url, environment)).toEqual({ voices: "ok", images: "ok", decisions: "ok" });
    expect(emulator.summary()).toMatchObject({ voicesBilled: 0, tasks: 0, tokens: 0 });
  });

  test("says that a foreign web server is not this service, and that nothing listens", async () => {
    const { url } = await serve((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(page));
    const environment = { CLOUDVOICE_API_KEY: apiKey };
    expect(await found(url, environment)).toEqual({ voices: "error", images: "warning", decisions: "error" });
    expect(Object.values(await found("http://127.0.0.1:9", environment))).toEqual(["error", "error", "error"]);
    const [refused] = await findingsAt("http://elsewhere.example", {});
    expect(refused).toMatchObject({ state: "error", message: expect.stringContaining("allowHttp") as string });
  });
});
