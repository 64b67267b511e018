import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/*
 * Three ways to the same voices. Each is a program and, where it needs one, a provider of its own:
 *
 * - `ours`: this package, as it is published;
 * - `floor`: what the engine itself costs. Dynamic resources with the same inputs and outputs, reached by the shortest provider text,
 *   whose provider makes the same calls in the plainest way and does nothing else: no checks, no retries, no exactly-once;
 * - `usual`: a dynamic provider as it is usually written, with its methods serialised into the state, and a list paged by ten at
 *   every read.
 */
export const ways = ["ours", "floor", "usual"] as const;
export type Way = (typeof ways)[number];

/** The program that declares this many voices, for `Stack.program`. */
export function programOf(way: Way, voices: number, audio = '"a.wav"'): string {
  const each = (body: string) => `for (let i = 0; i < ${voices}; i++) { ${body} }`;
  switch (way) {
    case "ours":
      return each(`new cv.CloudVoice("voice-" + i, { targetModel: model, audio: ${audio} });`);
    case "floor":
      return `${floorClass}\n${each(`new Voice("voice-" + i, { targetModel: model, audio: ${audio}, audioSha256, audioSeconds: 13.738, nameVersion: 1, preferredName: "voice" + i + "_abcdefgh".slice(0, 11 - String(i).length) });`)}`;
    case "usual":
      return `${usualProvider}\n${each(`new Voice("voice-" + i, { targetModel: model, audio: ${audio}, preferredName: "voice_" + i });`)}`;
  }
}

/** The package that the floor's text requires: `f`. */
export function installFloor(modules: string): void {
  const folder = join(modules, "f");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "f", version: "1.0.0", main: "index.js" }));
  writeFileSync(join(folder, "index.js"), floorProvider);
}

const floorClass = `
const audioSha256 = require("node:crypto").createHash("sha256").update(require("node:fs").readFileSync("a.wav")).digest("hex");
class Voice extends pulumi.CustomResource {
  constructor(name, inputs) {
    const outputs = { voice: undefined, createdAt: undefined, degraded: undefined, adopted: undefined, requestId: undefined, account: undefined };
    super("pulumi-nodejs:dynamic/cloudvoice:CloudVoice", name, { ...outputs, ...inputs, __provider: 'exports.handler=()=>require("f")' });
  }
}`;

const floorProvider = `
const { readFile } = require("node:fs/promises");
let listed;
async function call(input) {
  const answer = await fetch(process.env.CLOUDVOICE_BASE_URL + "/api/v1/services/audio/tts/customization", {
    method: "POST",
    headers: { authorization: "Bearer " + process.env.CLOUDVOICE_API_KEY, "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-voice-enrollment", input }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}
const list = () => (listed ??= call({ action: "list", page_index: 0, page_size: 1000 }).then(({ output }) => new Set(output.voice_list.map((row) => row.voice))));
const own = ({ __provider, ...inputs }) => inputs;
module.exports = {
  check: async (olds, news) => ({ inputs: own(news) }),
  diff: async (id, olds, news) => ({ changes: Object.keys(own(news)).some((field) => JSON.stringify(olds[field]) !== JSON.stringify(news[field])) }),
  async create(inputs) {
    const { targetModel, preferredName, audio } = inputs;
    const data = "data:audio/wav;base64," + (await readFile(audio)).toString("base64");
    const { output, request_id } = await call({ action: "create", target_model: targetModel, preferred_name: preferredName, audio: { data } });
    return { id: output.voice, outs: { ...own(inputs), voice: output.voice, createdAt: "2026-11-21T00:00:00Z", degraded: false, adopted: false, requestId: request_id, account: "8eff-e1e88d" } };
  },
  async read(id, props) {
    return (await list()).has(id) ? { id, props: own(props) } : { id: "" };
  },
  delete: async (id) => void (await call({ action: "delete", voice: id })),
};
`;

const usualProvider = `
const provider = {
  async call(input) {
    const answer = await fetch(process.env.CLOUDVOICE_BASE_URL + "/api/v1/services/audio/tts/customization", {
      method: "POST",
      headers: { authorization: "Bearer " + process.env.CLOUDVOICE_API_KEY, "content-type": "application/json" },
      body: JSON.stringify({ model: "svc-voice-enrollment", input }),
    });
    if (!answer.ok) throw new Error("the service answered " + answer.status + ": " + (await answer.text()));
    return answer.json();
  },
  async check(olds, news) {
    const failures = [];
    if (!news.targetModel) failures.push({ property: "targetModel", reason: "is required" });
    if (!news.audio) failures.push({ property: "audio", reason: "is required" });
    return { inputs: news, failures };
  },
  async diff(id, olds, news) {
    const replaces = ["targetModel", "audio", "preferredName"].filter((field) => JSON.stringify(olds[field]) !== JSON.stringify(news[field]));
    return { changes: replaces.length > 0, replaces };
  },
  async create(inputs) {
    const bytes = await require("fs").promises.readFile(inputs.audio);
    const data = "data:audio/wav;base64," + bytes.toString("base64");
    const { output, request_id } = await this.call({ action: "create", target_model: inputs.targetModel, preferred_name: inputs.preferredName, audio: { data } });
    return { id: output.voice, outs: { ...inputs, voice: output.voice, requestId: request_id } };
  },
  async read(id, props) {
    for (let page = 0; ; page++) {
      const { output } = await this.call({ action: "list", page_index: page, page_size: 10 });
      const rows = output.voice_list;
      if (rows.some((row) => row.voice === id)) return { id, props };
      if (rows.length === 0) return { id: "", props: {} };
    }
  },
  async delete(id) {
    await this.call({ action: "delete", voice: id });
  },
};
class Voice extends pulumi.dynamic.Resource {
  constructor(name, inputs) {
    super(provider, name, { voice: undefined, requestId: undefined, ...inputs });
  }
}`;
