import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import type { buildConnector } from "undici";

type Connector = buildConnector.connector;

const sendHeaders = "undici:client:sendHeaders";

/** The sockets of the requests under way, by their bodies. undici reports them only on its diagnostics channel. */
export class Sockets {
  private readonly used = new WeakMap<object, { socket: Socket; before: number }>();

  private readonly onHeaders = (message: unknown): void => {
    const { request, socket } = message as { request: { body: object | null }; socket: Socket };
    if (request.body !== null) this.used.set(request.body, { socket, before: socket.bytesWritten });
  };

  constructor() {
    subscribe(sendHeaders, this.onHeaders);
  }

  /**
   * How many bytes of the body's request the socket took. The system may have taken fewer: up to one piece of the body
   * may still be in the socket. NaN if the socket is not known.
   */
  taken(body: object): number {
    const { socket, before = NaN } = this.used.get(body) ?? {};
    return (socket?.bytesWritten ?? NaN) - before;
  }

  /**
   * Closes the connection of a body with a reset. A usual close would still deliver what the system has in its buffers,
   * which may be a whole request. If the socket is not known, does nothing: undici closes the connection.
   */
  reset(body: object): void {
    let socket: Below | undefined = this.used.get(body)?.socket;
    // Workaround: Node.js can't reset a TLS socket, and has no public name for the socket below it.
    while (socket?._parent) socket = socket._parent;
    try {
      if (socket?.destroyed === false) socket.resetAndDestroy();
    } catch {
      // A connection over TLS to a proxy, which undici opens, has no socket below. undici closes it as usual.
    }
  }

  close(): void {
    unsubscribe(sendHeaders, this.onHeaders);
  }
}

type Below = Socket & { _parent?: Below | null };

/** Connects, and starts TLS on the connection. The usual connector opens a TLS socket without a socket below it. */
export function connectorWithSocketBelow(
  build: typeof buildConnector,
  options: buildConnector.BuildOptions,
): Connector {
  const connect = build(options);
  return (target, callback) => {
    if (target.protocol !== "https:") return connect(target, callback);
    connect({ ...target, protocol: "http:", port: target.port || "443" }, (error, httpSocket) => {
      if (error === null) connect({ ...target, httpSocket }, callback);
      else callback(error, null);
    });
  };
}
