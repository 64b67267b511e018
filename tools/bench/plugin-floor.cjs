#!/usr/bin/env node
/*
 * The plainest native plugin with the inputs and outputs of `CloudVoice`: the cost of the engine, of gRPC and of the
 * service's calls. It has no retries and no promise to pay once. `installFloor` (implementations.ts) copies it beside
 * the packages that it loads.
 */
const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { readFile } = require("node:fs/promises");
const grpc = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb.js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb.js");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb.js");
const rpc = require("@pulumi/pulumi/proto/provider_pb.js");

const schema = readFileSync(
  require.resolve("pulumi-cloudvoice/package.json").replace("package.json", "plugin/schema.json"),
  "utf8",
);
let audioSha256;
const nameOf = (urn) => `${urn.slice(urn.lastIndexOf("::") + 2).replace("-", "_")}_abcdefgh`.slice(0, 16);

const methods = {
  handshake: () => new rpc.ProviderHandshakeResponse().setAcceptSecrets(true),
  attach: () => new Empty(),
  getPluginInfo: () => new PluginInfo().setVersion("0.1.0"),
  getSchema: () => new rpc.GetSchemaResponse().setSchema(schema),
  checkConfig: (request) => new rpc.CheckResponse().setInputs(request.getNews()),
  diffConfig: () => new rpc.DiffResponse(),
  configure: () => new rpc.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true),
  cancel: () => new Empty(),
  check(request) {
    audioSha256 ??= createHash("sha256").update(readFileSync("a.wav")).digest("hex");
    const facts = { audioSha256, audioSeconds: 13.738, nameVersion: 2, preferredName: nameOf(request.getUrn()) };
    return new rpc.CheckResponse().setInputs(Struct.fromJavaScript({ ...request.getNews().toJavaScript(), ...facts }));
  },
  diff(request) {
    const olds = request.getOlds().toJavaScript();
    const news = request.getNews().toJavaScript();
    const isChanged = Object.keys(news).some((name) => JSON.stringify(olds[name]) !== JSON.stringify(news[name]));
    const { DIFF_SOME, DIFF_NONE } = rpc.DiffResponse.DiffChanges;
    return new rpc.DiffResponse().setChanges(isChanged ? DIFF_SOME : DIFF_NONE);
  },
  async create(request) {
    const inputs = request.getProperties().toJavaScript();
    const { targetModel, preferredName, audio } = inputs;
    const { output, request_id: requestId } = await call({
      action: "create",
      target_model: targetModel,
      preferred_name: preferredName,
      audio: { data: `data:audio/wav;base64,${(await readFile(audio)).toString("base64")}` },
    });
    const { voice } = output;
    const createdAt = "2026-11-21T00:00:00Z";
    const outputs = { voice, createdAt, degraded: false, adopted: false, requestId, account: "8eff-e1e88d" };
    return new rpc.CreateResponse().setId(voice).setProperties(Struct.fromJavaScript({ ...inputs, ...outputs }));
  },
  async read(request) {
    listed ??= listVoices();
    const response = new rpc.ReadResponse();
    if (!(await listed).has(request.getId())) return response;
    return response.setId(request.getId()).setProperties(request.getProperties()).setInputs(request.getInputs());
  },
  async delete(request) {
    await call({ action: "delete", voice: request.getId() });
    return new Empty();
  },
};

let listed;
async function listVoices() {
  const { output } = await call({ action: "list", page_index: 0, page_size: 1000 });
  return new Set(output.voice_list.map((row) => row.voice));
}

async function call(input) {
  const response = await fetch(`${process.env.CLOUDVOICE_BASE_URL}/api/v1/services/audio/tts/customization`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.CLOUDVOICE_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-voice-enrollment", input }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

const answer =
  (method) =>
  ({ request }, callback) =>
    Promise.resolve()
      .then(() => method(request))
      .then((response) => callback(null, response), callback);

const server = new grpc.Server();
const service = Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, answer(method)]));
server.addService(ResourceProviderService, service);
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
