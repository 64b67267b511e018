import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { YamlProgram } from "../plugin-stack";

/*
 * The implementations that the benchmark compares. Each one is a program and, if it needs one, a provider:
 *
 * - `ours`: this package, as it is published;
 * - `plugin`: the native plugin of this package, with a program in YAML;
 * - `plugin-floor`: the same program with the plainest plugin that makes the same calls (plugin-floor.cjs);
 * - `floor`: the cost of the engine alone. Dynamic resources with the same inputs and outputs and the shortest
 *   possible provider text. The provider makes the same calls in the plainest way. It has no checks, no retries and
 *   no exactly-once creation. With the environment variable `IDLE` it makes no calls, so its resources do nothing;
 * - `native`: the classes of `pulumi-cloudvoice/native`, and `native-floor`: the plainest class for the plugin of the floor;
 * - `catalog`, `catalog-yaml`: one `VoiceCatalog` that the plugin serves, with a program in JavaScript and in YAML;
 * - `usual`: a dynamic provider as most people write it. Pulumi serialises its methods into the state, and each read
 *   lists the voices in pages of ten.
 */
export const implementations = ["ours", "plugin", "floor", "plugin-floor", "usual"] as const;
/** Those of the scenario `thousand` too. */
export type Implementation = (typeof implementations)[number] | "native" | "native-floor" | "catalog" | "catalog-yaml";
const yamlImplementations = ["plugin", "plugin-floor", "catalog-yaml"] as const;
/** Those whose program is in JavaScript. */
export type DynamicImplementation = Exclude<Implementation, (typeof yamlImplementations)[number]>;

export function isYaml(name: Implementation): name is (typeof yamlImplementations)[number] {
  return yamlImplementations.some((each) => each === name);
}

/** The body of a program that declares this many voices, for `Stack.program`. `audio` is a JavaScript expression. */
export function programOf(implementation: DynamicImplementation, voices: number, audio = '"a.wav"'): string {
  const forEachVoice = (body: string) => `for (let i = 0; i < ${voices}; i++) { ${body} }`;
  const inputs = `targetModel: model, audio: ${audio}`;
  switch (implementation) {
    case "ours":
    case "native":
      return forEachVoice(`new cv.CloudVoice("voice-" + i, { ${inputs} });`);
    case "catalog":
      return `const voices = {};
${forEachVoice(`voices["voice-" + i] = { audio: ${audio} };`)}
new cv.VoiceCatalog("voices", { defaults: { targetModel: model }, voices });`;
    case "native-floor":
      return `const outputs = { voice: undefined, createdAt: undefined, requestId: undefined };
${forEachVoice(`new pulumi.CustomResource("cloudvoice:index:CloudVoice", "voice-" + i, { ...outputs, ${inputs} });`)}`;
    case "floor":
      return `${floorClass}\n${forEachVoice(`new Voice("voice-" + i, { ${inputs}, ${floorInputs} });`)}`;
    case "usual":
      return `${usualProvider}\n${forEachVoice(`new Voice("voice-" + i, { ${inputs}, ${usualInputs} });`)}`;
  }
}

/** The same program for a plugin. */
export function yamlOf(implementation: Implementation, voices: number): YamlProgram {
  const forEachVoice = <T>(value: T) =>
    Object.fromEntries(Array.from({ length: voices }, (_, i) => [`voice-${i}`, value]));
  const defaults = { targetModel: "svc3-tts-vc-2026-01-22" };
  const audio = "a.wav";
  if (implementation !== "catalog-yaml")
    return { resources: forEachVoice({ type: "cloudvoice:CloudVoice", properties: { ...defaults, audio } }) };
  const properties = { defaults, voices: forEachVoice({ audio }) };
  return { resources: { voices: { type: "cloudvoice:VoiceCatalog", properties } } };
}

/** Installs the provider of the floor as the package `f`, which the floor's provider text requires, and its plugin. */
export function installFloor(modules: string): void {
  const folder = join(modules, "f");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "f", version: "1.0.0", main: "index.js" }));
  writeFileSync(join(folder, "index.js"), floorProvider);
  copyFileSync(join(__dirname, "plugin-floor.cjs"), join(folder, "pulumi-resource-cloudvoice"));
}

/** The inputs that `CloudVoice` adds by itself, so that the floor's state is as large. */
const floorInputs =
  "audioSha256, audioSeconds: 13.738, nameVersion: 1, " +
  'preferredName: "voice" + i + "_abcdefgh".slice(0, 11 - String(i).length)';

const floorClass = `
const { createHash } = require("node:crypto");
const audioSha256 = createHash("sha256").update(require("node:fs").readFileSync("a.wav")).digest("hex");
const outputs = {
  voice: undefined, createdAt: undefined, degraded: undefined, adopted: undefined, requestId: undefined,
  account: undefined,
};
class Voice extends pulumi.CustomResource {
  constructor(name, inputs) {
    const __provider = 'exports.handler=()=>require("f")';
    super("pulumi-nodejs:dynamic/cloudvoice:CloudVoice", name, { ...outputs, ...inputs, __provider });
  }
}`;

const floorProvider = `
const { readFile } = require("node:fs/promises");
async function call(input) {
  if (process.env.IDLE) return { output: { voice: "voice", voice_list: [] }, request_id: "request" };
  const response = await fetch(process.env.CLOUDVOICE_BASE_URL + "/api/v1/services/audio/tts/customization", {
    method: "POST",
    headers: { authorization: "Bearer " + process.env.CLOUDVOICE_API_KEY, "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-voice-enrollment", input }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
let listed;
async function listVoices() {
  const { output } = await call({ action: "list", page_index: 0, page_size: 1000 });
  return new Set(output.voice_list.map((row) => row.voice));
}
const withoutProvider = ({ __provider, ...inputs }) => inputs;
module.exports = {
  check: async (olds, news) => ({ inputs: withoutProvider(news) }),
  diff: async (id, olds, news) => {
    const isChanged = (field) => JSON.stringify(olds[field]) !== JSON.stringify(news[field]);
    return { changes: Object.keys(withoutProvider(news)).some(isChanged) };
  },
  async create(inputs) {
    const { targetModel, preferredName, audio } = inputs;
    const data = process.env.IDLE ? "" : "data:audio/wav;base64," + (await readFile(audio)).toString("base64");
    const { output, request_id } = await call({
      action: "create", target_model: targetModel, preferred_name: preferredName, audio: { data },
    });
    const outputs = {
      voice: output.voice, createdAt: "2026-11-21T00:00:00Z", degraded: false, adopted: false, requestId: request_id,
      account: "8eff-e1e88d",
    };
    return { id: output.voice, outs: { ...withoutProvider(inputs), ...outputs } };
  },
  async read(id, props) {
    listed ??= listVoices();
    return (await listed).has(id) ? { id, props: withoutProvider(props) } : { id: "" };
  },
  delete: async (id) => void (await call({ action: "delete", voice: id })),
};
`;

const usualInputs = 'preferredName: "voice_" + i';

const usualProvider = `
const provider = {
  async call(input) {
    const response = await fetch(process.env.CLOUDVOICE_BASE_URL + "/api/v1/services/audio/tts/customization", {
      method: "POST",
      headers: { authorization: "Bearer " + process.env.CLOUDVOICE_API_KEY, "content-type": "application/json" },
      body: JSON.stringify({ model: "svc-voice-enrollment", input }),
    });
    if (!response.ok) throw new Error("The service responded with " + response.status + ": " + (await response.text()));
    return response.json();
  },
  async check(olds, news) {
    const failures = [];
    if (!news.targetModel) failures.push({ property: "targetModel", reason: "is required" });
    if (!news.audio) failures.push({ property: "audio", reason: "is required" });
    return { inputs: news, failures };
  },
  async diff(id, olds, news) {
    const isChanged = (field) => JSON.stringify(olds[field]) !== JSON.stringify(news[field]);
    const replaces = ["targetModel", "audio", "preferredName"].filter(isChanged);
    return { changes: replaces.length > 0, replaces };
  },
  async create(inputs) {
    const bytes = await require("fs").promises.readFile(inputs.audio);
    const data = "data:audio/wav;base64," + bytes.toString("base64");
    const { output, request_id } = await this.call({
      action: "create", target_model: inputs.targetModel, preferred_name: inputs.preferredName, audio: { data },
    });
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
