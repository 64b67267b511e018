import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Request, Response } from "express";
import { saysNothing, silentReply } from "./faults";
import { imageAt, paint } from "./images";
import { sendReply } from "./send-reply";
import type { EmulatorState } from "./state";

const encoders = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };
const expired = "<Error><Code>AccessDenied</Code><Message>Request has expired.</Message></Error>";

/** Serves the download of an image. The URL is signed, so the request needs no API key. */
export async function serveImage(
  state: EmulatorState,
  request: Request<{ taskId: string; index: string }>,
  response: Response,
): Promise<void> {
  const index = Number(request.params.index);
  const { redirects, encodings } = state.dialect.task;
  if (redirects !== "none" && request.query.moved === undefined) {
    const moved = `${request.originalUrl}&moved=1`;
    return void response
      .status(302)
      .setHeader("location", redirects === "absolute" ? state.url + moved : moved)
      .end();
  }
  const fault = state.faults.next("download");
  const task = imageAt(request.params.taskId, index, request.query, state.accounts.tasks, state.now());
  state.record({
    account: "(none)",
    action: "download",
    status: task ? 200 : 403,
    charge: 0,
    requestId: "-",
    ...(fault && { fault: fault.kind }),
  });
  if (fault?.kind === "500" || fault?.kind === "429") return void response.status(Number(fault.kind)).end();
  if (fault && saysNothing(fault.kind)) return sendReply(response, silentReply(fault.kind, "-"));
  if (!task) return void response.status(403).type("application/xml").send(expired);

  const painted = await state.unlessClosed(() => paint(task, index));
  const image = encodings.reduce((bytes, encoding) => encoders[encoding](bytes), painted);
  if (encodings.length > 0) response.setHeader("content-encoding", encodings.join(", "));
  const half = image.length >> 1;
  response.status(200).type("image/png").setHeader("content-length", image.length);
  response.write(image.subarray(0, half));
  if (fault?.kind === "slow") await state.pause(fault.delayMs ?? 1000);
  if (fault?.kind === "reset-after" || fault?.kind === "cut-json") return void request.socket.destroy();
  response.end(image.subarray(half));
}
