import { AsyncLocalStorage } from "node:async_hooks";
import * as grpc from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { PrintLine } from "../lifecycle/log";

/** Sends log lines to the engine, which shows them at the resource of the current call. */
export class EngineLog {
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
    if (client === undefined) return console.error(text);
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
