import { createServer } from "node:net";
import { AsyncLocalStorage } from "node:async_hooks";
import * as grpc from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { EngineConnection, engineAddress, whenEngineIsGone } from "../engine-alive";
import { construct } from "./construct";
import { grpcError } from "./errors";
import { invoke, list } from "./functions";
import { isOwnUser, listenHere } from "../peer";
import { Provider } from "./provider";
import type { PrintLine } from "../lifecycle/log";

const channel = {
  // The limit that the engine uses too.
  "grpc.max_receive_message_length": 1024 * 1024 * 400,
  "grpc.max_send_message_length": 1024 * 1024 * 400,
  // Off, because the statistics take a twentieth of the plugin's time.
  "grpc.enable_channelz": 0,
  // Off, because retries keep a copy of each message.
  "grpc.enable_retries": 0,
};

/** Serves the plugin's protocol, and prints the port for the engine. Resolves when the server listens. */
export async function servePlugin(schema: { version: string }): Promise<void> {
  const address = engineAddress(process.argv);
  const engine = new EngineConnection(address);
  const server = new grpc.Server(channel);
  const log = new EngineLog(address);
  const provider = new Provider(log.print, engine.assertAlive);
  server.addService(ResourceProviderService, serviceOf(schema, provider, log));
  const port = await listen(server);
  const end = () => void provider.abandon().then(() => process.exit(0));
  whenEngineIsGone(engine.assertAlive, end);
  // A CI runner, e.g. GitLab's, may signal every process of a job. The engine ends this process later, as after Ctrl-C.
  // A process that was started by hand has no engine that would end it.
  process.once("SIGTERM", address === undefined ? end : () => provider.cancel());
  process.stdout.write(`${port}\n`);
}

/**
 * Listens on a free port of this machine. Does not read from a connection until its sender is known to be the user who
 * runs the plugin.
 */
function listen(server: grpc.Server): Promise<number> {
  const connections = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  let hasRefused = false;
  const listener = createServer((socket) => {
    if (isOwnUser(socket)) return connections.injectConnection(socket);
    socket.destroy();
    // Logged once, so that another user can't fill the log.
    if (!hasRefused) process.stderr.write(`${refusalLine}\n`);
    hasRefused = true;
  });
  return listenHere(listener);
}

const refusalLine =
  "cloudvoice refused a connection to its plugin, because the system does not confirm that the connection comes from the " +
  "user who runs the plugin. Another user of this machine may have tried to connect. If there is no other user, run " +
  "Pulumi and the plugin as the same user.";

function serviceOf(schema: { version: string }, provider: Provider, log: EngineLog) {
  const { answer, stream } = handlersOf(log);
  return {
    handshake: answer(() => new rpc.ProviderHandshakeResponse().setAcceptSecrets(true).setAcceptOutputs(true)),
    attach: answer(() => new Empty()),
    getPluginInfo: answer(() => new PluginInfo().setVersion(schema.version)),
    getSchema: answer(() => new rpc.GetSchemaResponse().setSchema(JSON.stringify(schema))),
    checkConfig: answer((request: rpc.CheckRequest) => provider.checkConfig(request)),
    diffConfig: answer((request: rpc.DiffRequest) => provider.diffConfig(request)),
    configure: answer((request: rpc.ConfigureRequest) => provider.configure(request)),
    construct: answer((request: rpc.ConstructRequest) => {
      const { operation, reference, cancelled } = provider.active;
      const { extraTargetModels } = operation.settings;
      return construct(request, { reference, extraTargetModels, cancelled }, channel);
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

/** Turns functions from request to response into handlers, whose log lines belong to the resource of the request. */
function handlersOf(log: EngineLog) {
  function during<Request, Response>(
    { request }: { request: Request },
    work: (request: Request) => Promise<Response> | Response,
  ): Promise<Response> {
    const urn = (request as { getUrn?(): string }).getUrn?.() ?? "";
    return log.during(urn, () => work(request));
  }

  function answer<Request, Response>(work: (request: Request) => Promise<Response> | Response) {
    return (call: grpc.ServerUnaryCall<Request, Response>, callback: grpc.sendUnaryData<Response>) => {
      void during(call, work).then(
        (response) => callback(null, response),
        (error: unknown) => callback(grpcError(error)),
      );
    };
  }

  function stream<Request, Response>(work: (request: Request) => Promise<Response[]>) {
    return (call: grpc.ServerWritableStream<Request, Response>) => {
      void during(call, work).then(
        (responses) => {
          for (const response of responses) call.write(response);
          call.end();
        },
        (error: unknown) => call.emit("error", grpcError(error)),
      );
    };
  }

  return { answer, stream };
}

/** Sends log lines to the engine, which shows them at the resource of the current call. */
class EngineLog {
  private readonly client: EngineClient | undefined;
  private readonly calls = new AsyncLocalStorage<{ urn: string; sent: Promise<void>[] }>();

  constructor(address: string | undefined) {
    this.client = address === undefined ? undefined : new EngineClient(address, grpc.credentials.createInsecure());
  }

  /** Runs the work of a call. Resolves after the engine has received the log lines of the call. */
  async during<T>(urn: string, work: () => Promise<T> | T): Promise<T> {
    const call = { urn, sent: [] as Promise<void>[] };
    try {
      return await this.calls.run(call, work);
    } finally {
      await Promise.all(call.sent);
    }
  }

  readonly print: PrintLine = (text, { kind, message }) => {
    const { client } = this;
    if (client === undefined) return void process.stderr.write(`${text}\n`);
    const call = this.calls.getStore();
    const request = new LogRequest()
      // The program's lines have a URN, so a review takes a line without one for the plan.
      .setUrn(kind === "plan" ? "" : (call?.urn ?? ""))
      .setSeverity(kind === "warning" ? LogSeverity.WARNING : LogSeverity.INFO)
      .setMessage(message);
    // The engine shows an ephemeral line only until the next line.
    request.setEphemeral(kind === "progress");
    const sent = new Promise<void>((resolve) => client.log(request, () => resolve()));
    call?.sent.push(sent);
  };
}
