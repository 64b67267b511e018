import { spawn } from "node:child_process";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import type { Emulator } from "../../provider/emulator";
import { copy, recordings, root, temporaryFolder } from "./files";
import { invariants } from "./invariants";

export interface Answer {
  /** Empty if the call succeeded. */
  error: string;
  response: unknown;
}

export const struct = (props: object) => Struct.fromJavaScript(props as Record<string, JavaScriptValue>);

const marked = (kind: string, more: object) => ({ "4dabf18193072939515e22adb298388d": kind, ...more });
export const secret = (value: unknown) => marked("1b47061264138c4ac30d75fd1eb44270", { value });
export const output = (more: object) => marked("d0e6a833031e9bbcd3f4e8bde6ca49a4", more);
export const asset = (more: object) => marked("c44067f5952c0a294b673a41bacd8c17", more);
export const archive = (more: object) => marked("0def7320c3a5731c473e5ecbe6d01bc7", more);
export const reference = (more: object) => marked("5cf8f73096256a8f31e491e813e4eb8e", more);

/** The built plugin as a process of its own, and an engine that only takes its log. `byHand`: it knows of no engine. */
export async function startPlugin({ url, apiKey }: Pick<Emulator, "url" | "apiKey">, { byHand = false } = {}) {
  invariants.keepSecret("the key", apiKey);
  const folder = temporaryFolder();
  copy(recordings.wav, folder, "a.wav");
  const log: string[] = [];
  const engine = new grpc.Server();
  const refused = (_: unknown, done: grpc.sendUnaryData<never>) => done({ code: grpc.status.UNIMPLEMENTED });
  engine.addService(EngineService, {
    log({ request }: { request: LogRequest }, done: grpc.sendUnaryData<Empty>) {
      invariants.output("a line in the engine's log", request.getMessage());
      log.push(request.getMessage());
      done(null, new Empty());
    },
    ...{ getRootResource: refused, setRootResource: refused, startDebugging: refused, requirePulumiVersion: refused },
  });
  const enginePort = await new Promise<number>((resolve, reject) =>
    engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  );
  const args = byHand ? [] : [`127.0.0.1:${enginePort}`];
  const child = spawn(process.execPath, [join(root, "provider", "dist", "plugin.js"), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: join(folder, ".state") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<number>((resolve) =>
    child.stdout.once("data", (data: Buffer) => resolve(Number(data))),
  );
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {
    "grpc.max_send_message_length": -1,
    "grpc.max_receive_message_length": -1,
  });
  const path = (method: string) => `/pulumirpc.ResourceProvider/${method}`;

  /** Calls a method by its name in the protocol, with any bytes. The connection can be broken. */
  const callRaw = (method: string, bytes: Buffer, breaks?: AbortSignal) =>
    new Promise<{ error: string; bytes: Buffer | undefined }>((resolve) => {
      const same = (buffer: Buffer) => buffer;
      const call = client.makeUnaryRequest(path(method), same, same, bytes, (error, response) => {
        const text = error?.details ?? "";
        invariants.output(`the error of ${method}`, text);
        resolve({ error: text, bytes: response });
      });
      breaks?.addEventListener("abort", () => call.cancel());
    });
  const call = async (
    method: "Check" | "Diff" | "Create" | "Read" | "Update" | "Delete" | "Invoke" | "Construct" | "Configure",
    request: { serializeBinary(): Uint8Array },
    breaks?: AbortSignal,
  ): Promise<Answer> => {
    const { error, bytes } = await callRaw(method, Buffer.from(request.serializeBinary()), breaks);
    const type = method === "Delete" ? Empty : rpc[`${method}Response`];
    return { error, response: bytes && type.deserializeBinary(bytes) };
  };
  return {
    port,
    log,
    call,
    callRaw,
    configure: (args: object = {}) =>
      call(
        "Configure",
        new rpc.ConfigureRequest()
          .setUrn("urn:pulumi:dev::program::pulumi:providers:cloudvoice::mine")
          .setArgs(struct({ baseUrl: url, apiKey: secret(apiKey), imagePollSeconds: 0.01, maxRetries: 0, ...args })),
      ),
    folder,
    pid: child.pid ?? 0,
    /** As when it is killed: the system closes its connections. */
    killEngine: () => engine.forceShutdown(),
    /** Resolves with the exit code of the plugin. */
    ended: new Promise<number | null>((resolve) => child.once("exit", resolve)),
    stop() {
      client.close();
      child.kill();
      engine.forceShutdown();
    },
  };
}
