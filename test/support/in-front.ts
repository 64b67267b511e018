import type { IncomingMessage } from "node:http";
import type { Emulator } from "../../provider/emulator";
import { serve } from "./serve";

export interface Exchange {
  request: IncomingMessage;
  /** What was asked, as text. */
  body: string;
  /** What the emulator answered. */
  status: number;
  answer: string;
}

type Maybe<T> = T | undefined | Promise<T | undefined>;

/** Another implementation of the service: the emulator, whose answers are changed on their way. Undefined leaves one as it is. */
export async function inFrontOf(
  emulator: Emulator,
  change: (exchange: Exchange) => Maybe<{ status?: number; answer?: string }>,
  /** What is answered without the emulator ever hearing of it. */
  instead: (asked: Pick<Exchange, "request" | "body">) => Maybe<{ status: number; answer: string }> = () => undefined,
): Promise<Pick<Emulator, "url" | "apiKey">> {
  const { url } = await serve((request, reply) => {
    void (async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const body = Buffer.concat(pieces);
      const refusal = await instead({ request, body: body.toString() });
      if (refusal)
        return void reply.writeHead(refusal.status, { "content-type": "application/json" }).end(refusal.answer);
      const headers = Object.fromEntries(
        ["authorization", "content-type", "x-svc-async"].flatMap((name) =>
          request.headers[name] ? [[name, String(request.headers[name])]] : [],
        ),
      );
      const got = await fetch(`${emulator.url}${request.url ?? ""}`, {
        method: request.method ?? "GET",
        headers,
        ...(body.length > 0 && { body }),
      });
      const bytes = Buffer.from(await got.arrayBuffer());
      const isText = !got.headers.get("content-type")?.startsWith("image/");
      // Addresses of images lead here too.
      const answer = isText ? bytes.toString().replaceAll(emulator.url, url) : "";
      const changed = await change({ request, body: body.toString(), status: got.status, answer });
      reply.statusCode = changed?.status ?? got.status;
      if (isText) reply.setHeader("content-type", got.headers.get("content-type") ?? "");
      reply.end(changed?.answer ?? (isText ? answer : bytes));
      // An answer that was lost is lost here too.
    })().catch(() => request.socket.destroy());
  });
  return { url, apiKey: emulator.apiKey };
}
