import * as grpc from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { EngineConnection, engineAddress } from "../shared/engine-alive";
import { construct } from "./construct";
import { EngineLog } from "./engine-log";
import { grpcError } from "./errors";
import { invoke, list } from "./functions";
import { PeerCheck } from "./peer";
import { Provider } from "./provider";
import { holdProtoKeys } from "./values";

const channel = {
  // As large as the engine's own limit.
  "grpc.max_receive_message_length": 1024 * 1024 * 400,
  "grpc.max_send_message_length": 1024 * 1024 * 400,
  // Statistics that nobody asks for; they take a twentieth of the plugin's time.
  "grpc.enable_channelz": 0,
  // The engine is on this machine. A copy of each message would be kept for another attempt.
  "grpc.enable_retries": 0,
};

/**
 * Serves the plugin's protocol, and prints the port, as the engine expects. Resolves when the server listens. Of the
 * package schema it reads the version itself.
 */
export async function servePlugin(schema: { version: string }, argv = process.argv): Promise<void> {
  const address = engineAddress(argv);
  const engine = new EngineConnection(address);
  const server = new grpc.Server(channel);
  const calls = { running: 0 };
  for (const method of Object.values(ResourceProviderService) as grpc.MethodDefinition<unknown, unknown>[]) {
    const { requestDeserialize: read } = method;
    method.requestDeserialize = (message) => read(holdProtoKeys(message));
  }
  server.addService(ResourceProviderService, serviceOf(schema, { log: new EngineLog(address), engine, calls }));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  process.stdout.write(`${port}\n`);
  exitWithEngine(engine, calls);
}

function serviceOf(
  schema: { version: string },
  { log, engine, calls }: { log: EngineLog; engine: EngineConnection; calls: { running: number } },
) {
  const provider = new Provider(log.print, engine.assertAlive);
  const peers = new PeerCheck();

  function doing<Request, Response>(
    call: { request: Request; getPeer(): string },
    work: (request: Request) => Promise<Response> | Response,
  ): Promise<Response> {
    const { request } = call;
    const urn = (request as { getUrn?(): string }).getUrn?.() ?? "";
    calls.running++;
    return log
      .during(urn, () => {
        peers.assertOwnUser(call.getPeer());
        return work(request);
      })
      .finally(() => calls.running--);
  }

  function answer<Request, Response>(work: (request: Request) => Promise<Response> | Response) {
    return (call: grpc.ServerUnaryCall<Request, Response>, callback: grpc.sendUnaryData<Response>) => {
      void doing(call, work).then(
        (response) => callback(null, response),
        (error: unknown) => callback(grpcError(error)),
      );
    };
  }

  function stream<Request, Response>(work: (request: Request) => Promise<Response[]>) {
    return (call: grpc.ServerWritableStream<Request, Response>) => {
      void doing(call, work).then(
        (responses) => {
          for (const response of responses) call.write(response);
          call.end();
        },
        (error: unknown) => call.emit("error", grpcError(error)),
      );
    };
  }

  return {
    handshake: answer(() => new rpc.ProviderHandshakeResponse().setAcceptSecrets(true).setAcceptOutputs(true)),
    attach: answer(() => new Empty()),
    getPluginInfo: answer(() => new PluginInfo().setVersion(schema.version)),
    getSchema: answer(() => new rpc.GetSchemaResponse().setSchema(JSON.stringify(schema))),
    checkConfig: answer((request: rpc.CheckRequest) => provider.checkConfig(request)),
    diffConfig: answer((request: rpc.DiffRequest) => provider.diffConfig(request)),
    configure: answer((request: rpc.ConfigureRequest) => provider.configure(request)),
    construct: answer((request: rpc.ConstructRequest) => {
      const { states } = provider.active.operation;
      states.learnStack({ organization: request.getOrganization() || "organization" });
      // While the catalog is read and the engine begins with its voices.
      states.readAhead();
      return construct(request, provider.active.reference, channel);
    }),
    invoke: answer((request: rpc.InvokeRequest) => invoke(provider.active.operation, request)),
    list: stream((request: rpc.ListRequest) => list(provider.active.operation, request)),
    check: answer((request: rpc.CheckRequest) => provider.active.adapter.check(request)),
    diff: answer((request: rpc.DiffRequest) => provider.active.adapter.diff(request)),
    create: answer((request: rpc.CreateRequest) => provider.active.adapter.create(request)),
    read: answer((request: rpc.ReadRequest) => provider.active.adapter.read(request)),
    update: answer((request: rpc.UpdateRequest) => provider.active.adapter.update(request)),
    delete: answer((request: rpc.DeleteRequest) => provider.active.adapter.delete(request)),
    cancel: answer(() => {
      provider.cancel();
      return new Empty();
    }),
  };
}

/** Workaround: a command line that is killed leaves this process running. It ends when the work it began is done. */
function exitWithEngine(engine: EngineConnection, calls: { running: number }): void {
  const timer = setInterval(() => {
    void engine.assertAlive().catch(() => {
      if (calls.running === 0) process.exit(0);
    });
  }, 5000);
  timer.unref();
}
