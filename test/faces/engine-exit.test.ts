import type { ServerResponse } from "node:http";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { endlessMp4 } from "../media/endless";
import { put } from "../support/files";
import { startPlugin, struct } from "../support/plugin-process";
import { serve } from "../support/serve";
import { until } from "../support/until";

/** A command line that is killed ends no plugin. It starts nothing more then, and ends by itself. */

const urn = (type: string) => `urn:pulumi:dev::program::cloudvoice:index:${type}::one`;

/** A plugin, and a service whose answers this function gives. Each request is noted by its action. */
async function pluginOf(
  answer: (action: string, response: ServerResponse) => void,
  args: object = {},
  options: { byHand?: boolean } = {},
) {
  const asked: string[] = [];
  const { url } = await serve((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      const action = /"action":"(\w+)"/.exec(body)?.[1] ?? request.method ?? "";
      asked.push(action);
      answer(action, response);
    });
  });
  const plugin = await startPlugin({ url, apiKey: "canary-key-of-the-engine" }, options);
  await plugin.configure(args);
  const check = (type: string, props: object) =>
    plugin.call("Check", new rpc.CheckRequest().setUrn(urn(type)).setNews(struct(props)));
  const create = async (type: string, props: object) => {
    const { response } = await check(type, props);
    const inputs = (response as rpc.CheckResponse).getInputs();
    return plugin.call("Create", new rpc.CreateRequest().setUrn(urn(type)).setProperties(inputs));
  };
  return { asked, plugin, check, create };
}

const json = (response: ServerResponse, body: object) => response.end(JSON.stringify({ request_id: "r", ...body }));
const noVoices = (response: ServerResponse) => json(response, { output: { voice_list: [] }, usage: { count: 0 } });
/** The notes, which are sealed: that of a request is replaced by that of its outcome. */
const notesIn = (folder: string) =>
  readdirSync(join(folder, ".state"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
const voice = { targetModel: "svc3-tts-vc-2026-01-22", audio: "a.wav" };

test("what waits for an image task waits no longer, and the task is noted", async () => {
  let ofRequest: string[] = [];
  const { asked, plugin, create } = await pluginOf((action, response) => {
    if (action === "POST") ofRequest = notesIn(plugin.folder);
    const task_status = action === "POST" ? "PENDING" : "RUNNING";
    json(response, { output: { task_id: "task-1", task_status } });
  });
  void create("GeneratedImage", { model: "svc-image", prompt: "A lighthouse" });
  await until(() => asked.filter((action) => action === "GET").length > 2);
  plugin.killEngine();
  expect(await plugin.ended).toBe(0);
  expect(asked.filter((action) => action === "POST")).toHaveLength(1);
  expect(notesIn(plugin.folder)).toHaveLength(1);
  expect(notesIn(plugin.folder)).not.toEqual(ofRequest);
});

test("a request that was sent is answered and noted first", async () => {
  let held: ServerResponse | undefined;
  const { asked, plugin, create } = await pluginOf((action, response) => {
    if (action === "create") held = response;
    else noVoices(response);
  });
  void create("CloudVoice", voice);
  await until(() => held !== undefined);
  const ofRequest = notesIn(plugin.folder);
  plugin.killEngine();
  const ended = await Promise.race([plugin.ended, turnsOf(3)]);
  expect(ended).toBe("running");
  json(held!, { output: { voice: "svc-one-voice-20260601080002972-1234" }, usage: { count: 1 } });
  expect(await plugin.ended).toBe(0);
  expect(asked.filter((action) => action === "create")).toHaveLength(1);
  expect(notesIn(plugin.folder)).toHaveLength(1);
  expect(notesIn(plugin.folder)).not.toEqual(ofRequest);
});

describe("SIGTERM", () => {
  const signal = ({ pid }: { pid: number }) => process.kill(pid, "SIGTERM");

  test("ends a plugin that was started by hand, also if it was never configured", async () => {
    const plugin = await startPlugin(
      { url: "http://127.0.0.1:9", apiKey: "canary-key-of-the-engine" },
      { byHand: true },
    );
    signal(plugin);
    expect(await plugin.ended).toBe(0);
  });

  test.each([true, false])(
    "lets a request that was sent be answered and noted first; started by hand: %p",
    async (byHand) => {
      let held: ServerResponse | undefined;
      const answer = (action: string, response: ServerResponse) => {
        if (action === "create") held = response;
        else noVoices(response);
      };
      const { asked, plugin, check, create } = await pluginOf(answer, {}, { byHand });
      const created = create("CloudVoice", voice);
      await until(() => held !== undefined);
      const ofRequest = notesIn(plugin.folder);
      signal(plugin);
      expect(await Promise.race([plugin.ended, turnsOf(3)])).toBe("running");
      json(held!, { output: { voice: "svc-one-voice-20260601080002972-1234" }, usage: { count: 1 } });
      if (byHand) expect(await plugin.ended).toBe(0);
      else {
        // The engine ends its plugin itself, after the last call.
        expect((await created).error).toBe("");
        expect((await check("CloudVoice", voice)).response).toBeDefined();
        plugin.killEngine();
        expect(await plugin.ended).toBe(0);
      }
      expect(asked.filter((action) => action === "create")).toHaveLength(1);
      expect(notesIn(plugin.folder)).toHaveLength(1);
      expect(notesIn(plugin.folder)).not.toEqual(ofRequest);
    },
  );
});

test("a request that is never answered is waited for as long as any request", async () => {
  const { plugin, create, asked } = await pluginOf(
    (action, response) => (action === "create" ? undefined : noVoices(response)),
    { requestTimeoutSeconds: 5, settleSeconds: 600 },
  );
  void create("CloudVoice", voice);
  await until(() => asked.includes("create"));
  plugin.killEngine();
  expect(await plugin.ended).toBe(0);
});

test("a library that computes is not waited for", async () => {
  const { plugin, check } = await pluginOf((_, response) => noVoices(response));
  put(plugin.folder, "endless.m4a", endlessMp4());
  const threads = () => readdirSync(`/proc/${plugin.pid}/task`).length;
  const before = threads();
  const checked = check("CloudVoice", { ...voice, audio: "endless.m4a" });
  await until(() => threads() > before);
  plugin.killEngine();
  expect(await plugin.ended).toBe(0);
  expect((await checked).response).toBeUndefined();
});

/** Gives the plugin the time of so many calls. */
async function turnsOf(calls: number): Promise<string> {
  for (let call = 0; call < calls; call++) await serve(() => undefined);
  return "running";
}
