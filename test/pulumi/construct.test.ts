import * as grpc from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import * as monitor from "@pulumi/pulumi/proto/resource_pb";
import { construct } from "../../provider/src/plugin/construct";
import { unknownValue } from "../../provider/src/rules/values";

/** A catalog that the plugin registers, with a resource monitor in place of the engine. */

const entry = { targetModel: "svc3-tts-vc-2026-01-22", audio: "https://example.com/a.wav" };
const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** Constructs a catalog in a preview. Returns its outputs, as the program and the state get them. */
async function constructed(voices: unknown, others: object = {}, cancelled?: Promise<void>) {
  const outputs: unknown[] = [];
  const server = new grpc.Server();
  server.addService(ResourceMonitorService, {
    registerResource: (
      { request }: grpc.ServerUnaryCall<monitor.RegisterResourceRequest, unknown>,
      done: grpc.sendUnaryData<monitor.RegisterResourceResponse>,
    ) => {
      // After a failure, the engine answers no registration of a voice.
      if (cancelled !== undefined && request.getCustom()) return;
      const object = Struct.fromJavaScript({ voice: "svc-narrator", ...request.getObject()?.toJavaScript() });
      done(null, new monitor.RegisterResourceResponse().setUrn(request.getName()).setObject(object));
    },
    registerResourceOutputs: (
      { request }: grpc.ServerUnaryCall<monitor.RegisterResourceOutputsRequest, unknown>,
      done: grpc.sendUnaryData<Empty>,
    ) => {
      outputs.push(request.getOutputs()?.toJavaScript());
      done(null, new Empty());
    },
  });
  const credentials = grpc.ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  closers.push(() => server.forceShutdown());
  const request = new rpc.ConstructRequest()
    .setType("cloudvoice:index:VoiceCatalog")
    .setName("voices")
    .setMonitorendpoint(`127.0.0.1:${port}`)
    .setDryrun(true)
    .setInputs(Struct.fromJavaScript({ voices: voices as never, ...others }));
  const state = (await construct(request, { reference: "provider", extraTargetModels: [], cancelled }, {}))
    .getState()
    ?.toJavaScript();
  return [...outputs, state];
}

test("the manifest of voices that a preview does not know is unknown, and not empty", async () => {
  const unknown = { manifest: unknownValue };
  expect(await constructed(unknownValue)).toEqual([unknown, unknown]);
});

test("a catalog whose update was cancelled ends without an error of its own, and nothing is known of its voices", async () => {
  const cancelled = Promise.resolve();
  expect(await constructed({ narrator: entry }, {}, cancelled)).toEqual([{ manifest: unknownValue }]);
});

test("the manifest of known voices has them", async () => {
  const [, state] = await constructed({ narrator: entry });
  expect(state).toMatchObject({ manifest: { narrator: { voice: "svc-narrator", targetModel: entry.targetModel } } });
});
