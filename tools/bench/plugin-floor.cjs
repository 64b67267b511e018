#!/usr/bin/env node
/*
 * The plainest native plugin with the inputs and outputs of `CloudVoice`: the provider of the floor, served by gRPC.
 * `installFloor` (implementations.ts) copies it beside that provider and the packages that it loads.
 */
const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const grpc = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb.js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb.js");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb.js");
const rpc = require("@pulumi/pulumi/proto/provider_pb.js");
const provider = require("f");

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
  async diff(request) {
    const [olds, news] = [request.getOlds().toJavaScript(), request.getNews().toJavaScript()];
    const { changes } = await provider.diff(request.getId(), olds, news);
    const { DIFF_SOME, DIFF_NONE } = rpc.DiffResponse.DiffChanges;
    return new rpc.DiffResponse().setChanges(changes ? DIFF_SOME : DIFF_NONE);
  },
  async create(request) {
    const { id, outs } = await provider.create(request.getProperties().toJavaScript());
    return new rpc.CreateResponse().setId(id).setProperties(Struct.fromJavaScript(outs));
  },
  async read(request) {
    const { id } = await provider.read(request.getId(), {});
    const response = new rpc.ReadResponse().setId(id);
    return id === "" ? response : response.setProperties(request.getProperties()).setInputs(request.getInputs());
  },
  async delete(request) {
    await provider.delete(request.getId());
    return new Empty();
  },
};

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
